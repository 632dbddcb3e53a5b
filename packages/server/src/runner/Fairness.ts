/**
 * Start-time fair queueing of the platform's runners among the seasons. Each season has a virtual time that grows with
 * every lease; the season with the lowest one is asked first. A season without work saves up no credit: it resumes at the
 * virtual time of those served meanwhile. Where a runner takes several pieces of work at once, no season gives it more
 * than its share before the others were asked.
 */
import { CappedMap } from "../process/CappedMap.ts"

/** Seasons asked last whose time is known: seasons end, and nobody tells. One that is forgotten resumes as a new one. */
const SEASONS_MAX = 4_096

export class Fairness {
  readonly #served = new CappedMap<string, number>(SEASONS_MAX)
  readonly #idle = new CappedMap<string, true>(SEASONS_MAX)
  #now = 0

  /** The seasons in the order in which to ask them. */
  order<A extends { readonly id: string }>(seasons: ReadonlyArray<A>): ReadonlyArray<A> {
    return seasons.toSorted((a, b) => this.#timeOf(a.id) - this.#timeOf(b.id))
  }

  /** How much of `room` each of these seasons may fill in the first pass; a season that was idle when last asked leaves its share to the others. */
  share(seasons: ReadonlyArray<{ readonly id: string }>, room: number): number {
    return Math.ceil(room / Math.max(1, seasons.filter(({ id }) => !this.#idle.has(id)).length))
  }

  served(season: string, leases: number): void {
    this.#idle.delete(season)
    const start = this.#timeOf(season)
    this.#now = Math.max(this.#now, start)
    this.#served.set(season, start + leases)
  }

  /** The season was asked and had no work. */
  idle(season: string): void {
    this.#idle.set(season, true)
    this.#served.set(season, Math.max(this.#timeOf(season), this.#now))
  }

  #timeOf(season: string): number {
    return this.#served.get(season) ?? this.#now
  }
}
