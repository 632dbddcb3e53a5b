/**
 * Which seasons had no work since their last signal, for whom. By kind of request: no other of that kind is woken for the signal. By key
 * within a kind, since a match may be kept from a single key: later requests of that key do not ask.
 */
import type { Clock } from "effect"
import { CappedMap } from "../process/CappedMap.ts"

/**
 * Kinds of a season that are known to have been given nothing. A runner makes a kind of its own with every session whose engines
 * have other names; one that is forgotten asks once more.
 */
const KINDS_MAX = 256
/** Keys, each with its kinds, of which a season's last refusal is known. */
const KEYS_MAX = 1_024
/** Of the seasons that gave nothing last: a season that has ended gets no signal any more. */
const SEASONS_MAX = 1_024
/** So long a season that gave nothing is not asked again by requests that wait for its signal; should one be lost, they ask then. */
const REFUSED_MS = 5_000

interface Refusal {
  /** The last signal before it asked. */
  readonly since: number
  readonly at_ms: number
}

interface OfSeason {
  readonly kinds: CappedMap<string, number>
  readonly keys: CappedMap<string, Refusal>
}

export class Refusals {
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
    const fresh = { kinds: new CappedMap<string, number>(KINDS_MAX), keys: new CappedMap<string, Refusal>(KEYS_MAX) }
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
    const refusal = this.#seasons.get(season)?.keys.get(`${key} ${kind}`)
    return refusal !== undefined && refusal.since >= signal && this.#clock.currentTimeMillisUnsafe() - refusal.at_ms < REFUSED_MS
  }
}
