/**
 * Whose turn it is among the seasons that share the platform's runners. Each season has a virtual time that grows with
 * every lease; the season furthest behind is asked first. One that had no work does not save up: it starts again at the
 * time of those that were served meanwhile. Where a runner takes several pieces of work at once, no season gives it more
 * than its share before the others were asked.
 */
export class Fairness {
  readonly #served = new Map<string, number>()
  readonly #idle = new Set<string>()
  #now = 0

  /** Seasons in the order in which they are to be asked. */
  order<A extends { readonly id: string }>(seasons: ReadonlyArray<A>): ReadonlyArray<A> {
    return seasons.toSorted((a, b) => this.#timeOf(a.id) - this.#timeOf(b.id))
  }

  /** Of so much room, what each of these seasons may fill first; one that had nothing to do of late leaves its share to the others. */
  share(seasons: ReadonlyArray<{ readonly id: string }>, room: number): number {
    return Math.ceil(room / Math.max(1, seasons.filter(({ id }) => !this.#idle.has(id)).length))
  }

  served(season: string, leases: number): void {
    this.#idle.delete(season)
    const start = this.#timeOf(season)
    this.#now = Math.max(this.#now, start)
    this.#served.set(season, start + leases)
  }

  /** It was asked and had nothing to do. */
  idle(season: string): void {
    this.#idle.add(season)
    this.#served.set(season, Math.max(this.#timeOf(season), this.#now))
  }

  #timeOf(season: string): number {
    return this.#served.get(season) ?? this.#now
  }
}
