/**
 * Whose turn it is among the seasons that share the platform's runners. Each season has a virtual time that grows with
 * every lease; the season furthest behind is asked first. One that had no work does not save up: it starts again at the
 * time of those that were served meanwhile.
 */
export class Fairness {
  readonly #served = new Map<string, number>()
  #now = 0

  /** Seasons in the order in which they are to be asked. */
  order<A extends { readonly id: string }>(seasons: ReadonlyArray<A>): ReadonlyArray<A> {
    return seasons.toSorted((a, b) => this.#timeOf(a.id) - this.#timeOf(b.id))
  }

  served(season: string, leases: number): void {
    const start = this.#timeOf(season)
    this.#now = Math.max(this.#now, start)
    this.#served.set(season, start + leases)
  }

  /** It was asked and had nothing to do. */
  idle(season: string): void {
    this.#served.set(season, Math.max(this.#timeOf(season), this.#now))
  }

  keepOnly(seasons: ReadonlySet<string>): void {
    for (const season of this.#served.keys()) if (!seasons.has(season)) this.#served.delete(season)
  }

  #timeOf(season: string): number {
    return this.#served.get(season) ?? this.#now
  }
}
