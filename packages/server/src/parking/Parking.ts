/**
 * Where runners' lease requests wait when there is nothing to do (long poll). New work, told by
 * actor/SeasonEventsBroadcast.ts, wakes one request; once that one has asked, the next is woken, and so on
 * while there is work: a crowd of idle runners does not ask all at once.
 *
 *   park ──signal of a season it serves──▶ woken ──asks──▶ told: given something ─▶ the next is woken
 *    ▲                                                     └─ given nothing ─▶ the next of another key or kind is woken
 *    └────────────────────────────────────────────────────────┘
 *
 * A woken request that never asks, because its runner was stopped or its client is gone, passes the wake
 * on. Requests of one kind (the same fleet, engines and kinds of work) and key get the same answer. So once one was
 * given nothing after a signal (GivenNothing.ts), no other of its kind and key is woken for that signal, and a later
 * one that may wait does not ask the season. Those of other keys of the kind are woken, few of them: a match is kept
 * from two keys at most. A request does not park if a signal came, or its runner was stopped, since it asked. Who has waited for seconds goes
 * before who comes (LongWaits.ts).
 *
 * Each answered lease request looks for the next to wake, and thousands may be parked. So each kind has a
 * line of its own (WaitingLine.ts), whose first request tells whether any of the line is to be woken. Of
 * several lines the one goes first whose first request has been parked longest.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { readGauges } from "../metric/gauge.ts"
import { uptimeOf_ms } from "../process/uptime.ts"
import { GivenNothing } from "./GivenNothing.ts"
import { LONG_MS, LongWaits } from "./LongWaits.ts"
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

/** How many of the runners stopped last are remembered, for requests of theirs that are on their way to park. */
const STOPPED_MAX = 1_000
/**
 * How many seasons' last signals are remembered, since nobody tells when a season ends. A signal counts for
 * requests that asked just before it.
 */
const SIGNALS_MAX = 4_096

interface Parked extends Waiting, InLine {
  readonly key: string
  /** How many parked before it. */
  readonly nth: number
  readonly at_ms: number
  readonly woken: Deferred.Deferred<void>
}

export class Parking extends Context.Service<
  Parking,
  {
    /** The number of the last signal, to be read before asking. */
    readonly signal: () => number
    /** Signals that there may be work in this season. */
    readonly wake: (season: string) => void
    /** Notes that a request of this kind, under this key, has asked the season, after this signal. */
    readonly told: (season: string, kind: string, since: number, given: boolean, key?: string) => void
    /**
     * Whether a request of this kind and key was given nothing by the season since its last signal, within
     * the last seconds: it would be given nothing again. By key, since a match may be kept from a single one.
     */
    readonly refused: (season: string, kind: string, key: string) => boolean
    /**
     * Whether a request that comes leaves the season's work to one that has waited for long: by which signal that one was woken.
     * To park with an earlier one brings its turn after that.
     */
    readonly leaves: (season: string) => number | undefined
    /**
     * Waits until work appears in a season that it serves, or for `wait_ms`. Answers whether to
     * ask: false where the time ended.
     */
    readonly park: (waiting: Waiting, since: number, wait_ms: number) => Effect.Effect<boolean>
    /** Wakes the next request in place of one that was woken and does not ask. */
    readonly passOn: (waiting: Waiting, since: number) => void
    /** Wakes the requests of a runner that was stopped: they ask, and are told so. */
    readonly stop: (runner: string) => void
    readonly size: () => number
    /** This node stops: every parked request is woken, and none parks from now on. */
    readonly close: Effect.Effect<void>
    readonly isClosed: () => boolean
  }
>()("agon/Parking") {
  static readonly layer = Layer.effect(
    Parking,
    Effect.gen(function* () {
      const parking = makeParking(yield* Clock.Clock)
      const description = "Lease requests that wait at this node for work"
      yield* readGauges([{ name: "agon_lease_requests_waiting", description, read: parking.size }])
      return parking
    })
  )
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

class ParkedRequests {
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

/** The signals of seasons, and whom they wake. */
const makeWaking = (clock: Clock.Clock, parked: ParkedRequests, givenNothing: GivenNothing) => {
  const signals = new CappedMap<string, number>(SIGNALS_MAX)
  const longWaits = new LongWaits()
  let newest = 0

  const wakeUp = (each: Parked): void => {
    parked.leave(each)
    Deferred.doneUnsafe(each.woken, Effect.void)
  }

  const wakeNext = (season: string): void => {
    const last = signals.get(season) ?? 0
    const next = parked.first(season, (name, kind) => {
      const keys = givenNothing.keysSince(season, name, last)
      return keys === "all" ? undefined : kind.firstBut(keys, last)
    })
    if (next !== undefined) wakeUp(next)
  }

  const wake = (season: string): void => {
    signals.set(season, ++newest)
    givenNothing.forget(season)
    wakeNext(season)
  }

  const leaves = (season: string): number | undefined => {
    if (parked.all.size === 0) return undefined
    const now = uptimeOf_ms(clock)
    const left = longWaits.signalOf(season, now)
    if (left !== undefined || !longWaits.isTime(season, now)) return left
    const first = parked.first(season, (_, { line }) => line.first)
    if (first === undefined || now - first.at_ms < LONG_MS) return undefined
    wake(season)
    longWaits.leave(season, now, newest)
    return newest
  }

  return { signals, longWaits, newest: () => newest, wakeUp, wakeNext, wake, leaves }
}

const makeParking = (clock: Clock.Clock): Parking["Service"] => {
  const parked = new ParkedRequests()
  const givenNothing = new GivenNothing(clock)
  const { leaves, longWaits, newest, signals, wake, wakeNext, wakeUp } = makeWaking(clock, parked, givenNothing)
  const stopped = new CappedMap<string, true>(STOPPED_MAX)
  let closed = false

  const passOn = ({ serves }: Waiting, since: number): void => {
    for (const [season, at] of signals) if (at > since && serves(season)) wakeNext(season)
  }

  const park = (waiting: Waiting, since: number, wait_ms: number) =>
    Effect.suspend(() => {
      const { key = "", kind, runner, serves } = waiting
      if (closed || (runner !== undefined && stopped.has(runner))) return Effect.succeed(true)
      const at_ms = uptimeOf_ms(clock)
      let until_ms = wait_ms
      for (const [season, at] of signals) {
        if (at <= since || !serves(season) || !givenNothing.mayAsk(season, kind, key, at)) continue
        until_ms = Math.min(until_ms, longWaits.leftMs(season, at_ms))
        if (until_ms === 0) return Effect.succeed(true)
      }
      const each: Parked = { ...waiting, key, since, nth: parked.arrivals++, at_ms, woken: Deferred.makeUnsafe() }
      parked.enter(each)
      return Deferred.await(each.woken).pipe(
        Effect.timeoutOption(until_ms),
        Effect.ensuring(Effect.sync(() => parked.leave(each))),
        // Also where it was woken just as its time ended, or where who goes before it did not ask.
        Effect.map(() => until_ms < wait_ms || Deferred.isDoneUnsafe(each.woken))
      )
    })

  return Parking.of({
    signal: newest,
    wake,
    told: (season, kind, since, given, key = "") => {
      longWaits.asked(season)
      if (!given) givenNothing.note(season, kind, key, since)
      wakeNext(season)
    },
    refused: (season, kind, key) => givenNothing.standsFor(season, kind, key, signals.get(season) ?? 0),
    leaves,
    park,
    passOn,
    stop: (runner) => {
      stopped.set(runner, true)
      for (const each of parked.all) if (each.runner === runner) wakeUp(each)
    },
    size: () => parked.all.size,
    close: Effect.sync(() => {
      closed = true
      for (const each of parked.all) wakeUp(each)
    }),
    isClosed: () => closed
  })
}
