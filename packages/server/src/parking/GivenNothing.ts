/**
 * The seasons that had no work since their last signal, with the requests that were given nothing. By kind of
 * request: no other of that kind is woken for the signal. By key within a kind, since a match may be kept
 * from a single key: later requests of that key do not ask.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import type { Clock } from "effect"

/**
 * The most kinds that are remembered of a season. A runner can make a new kind with each session, by engines
 * of other names. A kind that is forgotten asks once more.
 */
const KINDS_MAX = 256
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
  readonly kinds: CappedMap<string, number>
  readonly keys: CappedMap<string, Answer>
}

export class GivenNothing {
  readonly #clock: Clock.Clock
  readonly #seasons = new CappedMap<string, OfSeason>(SEASONS_MAX)

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  note(season: string, kind: string, key: string, since: number): void {
    const { keys, kinds } = this.#of(season)
    kinds.set(kind, since)
    keys.set(`${key} ${kind}`, { since, at_ms: this.#clock.currentTimeMillisUnsafe() })
  }

  #of(season: string): OfSeason {
    const known = this.#seasons.get(season)
    if (known !== undefined) return known
    const fresh = { kinds: new CappedMap<string, number>(KINDS_MAX), keys: new CappedMap<string, Answer>(KEYS_MAX) }
    this.#seasons.set(season, fresh)
    return fresh
  }

  /** A signal: everybody may ask again. */
  forget(season: string): void {
    this.#seasons.delete(season)
  }

  /** The last signal before a request of this kind asked and was given nothing; 0 where none is known. */
  sinceOf(season: string, kind: string): number {
    return this.#seasons.get(season)?.kinds.get(kind) ?? 0
  }

  /** Whether a request of this kind and key was given nothing within the last seconds, and after this signal. */
  standsFor(season: string, kind: string, key: string, signal: number): boolean {
    const answer = this.#seasons.get(season)?.keys.get(`${key} ${kind}`)
    return answer !== undefined && answer.since >= signal && this.#clock.currentTimeMillisUnsafe() - answer.at_ms < REFUSED_MS
  }
}
