/**
 * The seasons that had no work since their last signal, with the requests that were given nothing, by kind and key: a
 * match is kept for a while from a key that reported it unplayable, and an audit from the keys that have played it. So
 * no other request of the key is woken for the signal, and later ones do not ask. Once `KEYS_ENOUGH` keys of a kind
 * were given nothing, no other of that kind is woken either.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { LOSSES_MAX } from "@agon/domain/season/scheduler/Requeueing.ts"
import type { Clock } from "effect"
import { uptimeOf_ms } from "../process/uptime.ts"

/**
 * The most kinds that are remembered of a season. A runner can make a new kind with each session, by engines
 * of other names. A kind that is forgotten asks once more.
 */
const KINDS_MAX = 256
/** Work is kept from fewer keys than this: a match that fails so often is played no more, and an audit has no fourth opinion. */
const KEYS_ENOUGH = LOSSES_MAX
/** The most pairs of key and kind that are remembered of a season. */
const KEYS_MAX = 1_024
/** The most seasons that are remembered: one that has ended gets no signal by which it would be forgotten. */
const SEASONS_MAX = 1_024
/** How long requests that may wait do not ask a season that gave nothing. Then they ask, in case a signal was lost. */
const REFUSED_MS = 5_000

interface Answer {
  /** The last signal before it asked. */
  readonly since: number
  readonly at_ms: number
}

interface OfSeason {
  /** By kind, the last keys that were given nothing, with the last signal before each asked. */
  readonly kinds: CappedMap<string, CappedMap<string, number>>
  readonly keys: CappedMap<string, Answer>
}

const NO_KEYS: ReadonlySet<string> = new Set()

export class GivenNothing {
  readonly #clock: Clock.Clock
  readonly #seasons = new CappedMap<string, OfSeason>(SEASONS_MAX)

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  note(season: string, kind: string, key: string, since: number): void {
    const { keys, kinds } = this.#of(season)
    const last = kinds.get(kind) ?? new CappedMap<string, number>(KEYS_ENOUGH)
    kinds.set(kind, last.set(key, since))
    keys.set(`${key} ${kind}`, { since, at_ms: uptimeOf_ms(this.#clock) })
  }

  #of(season: string): OfSeason {
    const known = this.#seasons.get(season)
    if (known !== undefined) return known
    const fresh = { kinds: new CappedMap<string, CappedMap<string, number>>(KINDS_MAX), keys: new CappedMap<string, Answer>(KEYS_MAX) }
    this.#seasons.set(season, fresh)
    return fresh
  }

  /** A signal: everybody may ask again. */
  forget(season: string): void {
    this.#seasons.delete(season)
  }

  /** The keys of which a request of this kind asked after this signal and was given nothing, or "all": nobody need ask. */
  keysSince(season: string, kind: string, signal: number): ReadonlySet<string> | "all" {
    const last = this.#seasons.get(season)?.kinds.get(kind)
    if (last === undefined) return NO_KEYS
    const keys = new Set<string>()
    for (const [key, since] of last) if (since >= signal) keys.add(key)
    return keys.size >= KEYS_ENOUGH ? "all" : keys
  }

  /** Whether a request of this kind and key that asked before this signal may be given something. */
  mayAsk(season: string, kind: string, key: string, signal: number): boolean {
    const keys = this.keysSince(season, kind, signal)
    return keys !== "all" && !keys.has(key)
  }

  /** Whether a request of this kind and key was given nothing within the last seconds, and after this signal. */
  standsFor(season: string, kind: string, key: string, signal: number): boolean {
    const answer = this.#seasons.get(season)?.keys.get(`${key} ${kind}`)
    return answer !== undefined && answer.since >= signal && uptimeOf_ms(this.#clock) - answer.at_ms < REFUSED_MS
  }
}
