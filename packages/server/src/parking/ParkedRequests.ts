/** The lease requests that wait, in a line for each kind (Parking.ts). */

import type { Deferred } from "effect"
import { type InLine, WaitingLine } from "./WaitingLine.ts"

export interface Waiting {
  /** The same for all requests of a kind. */
  readonly serves: (season: string) => boolean
  readonly kind: string
  /** The key of the runner. */
  readonly key?: string
  /** The runner that sent the request. */
  readonly runner?: string
}

export interface Parked extends Waiting, InLine {
  readonly key: string
  /** How many parked before it. */
  readonly nth: number
  readonly at_ms: number
  readonly woken: Deferred.Deferred<void>
}

/** The parked requests of a kind; there is one at least. */
class Kind {
  readonly line = new WaitingLine<Parked>()
  /** How many of each key. */
  readonly #keys = new Map<string, number>()

  count(key: string, by: 1 | -1): void {
    const count = (this.#keys.get(key) ?? 0) + by
    if (count > 0) this.#keys.set(key, count)
    else this.#keys.delete(key)
  }

  /**
   * The first that asked before this signal and is of none of these few keys. Those before it are passed, which may
   * be many; it is woken then, so that is seldom.
   */
  firstBut(keys: ReadonlySet<string>, signal: number): Parked | undefined {
    if ([...keys].filter((key) => this.#keys.has(key)).length === this.#keys.size) return undefined
    let each = this.line.first
    while (each !== undefined && each.since < signal && keys.has(each.key)) each = each.next
    return each !== undefined && each.since < signal ? each : undefined
  }
}

export class ParkedRequests {
  arrivals = 0
  readonly all = new Set<Parked>()
  readonly kinds = new Map<string, Kind>()

  enter(each: Parked): void {
    this.all.add(each)
    const kind = this.kinds.get(each.kind) ?? new Kind()
    this.kinds.set(each.kind, kind)
    kind.line.enter(each)
    kind.count(each.key, 1)
  }

  /** Of those that each kind has for this season, the one that parked first. */
  first(season: string, of: (name: string, kind: Kind) => Parked | undefined): Parked | undefined {
    let next: Parked | undefined
    for (const [name, kind] of this.kinds) {
      const first = of(name, kind)
      if (first !== undefined && (next === undefined || first.nth < next.nth) && first.serves(season)) next = first
    }
    return next
  }

  /** Does nothing where it has left already. */
  leave(each: Parked): void {
    if (!this.all.delete(each)) return
    const kind = this.kinds.get(each.kind)!
    kind.line.leave(each)
    kind.count(each.key, -1)
    if (kind.line.first === undefined) this.kinds.delete(each.kind)
  }
}
