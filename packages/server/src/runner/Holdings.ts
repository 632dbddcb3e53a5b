/**
 * Which runner of this node holds which lease, and of which season: what a result needs to find its season, and what
 * keeps a runner within its slots, without asking the database. It is a memory, not the truth: the season's rows are.
 * A runner that is heard of for the first time since the start, or after a silence, is read from them once.
 */

export interface Holding {
  readonly lease: string
  readonly runner: string
  readonly season: string
  /** Seats of the match and the strikes that end one; null for a review. */
  readonly seats: number | null
  readonly strike_limit: number
}

export class Holdings {
  readonly #byLease = new Map<string, Holding>()
  readonly #byRunner = new Map<string, Set<string>>()

  knows(runner: string): boolean {
    return this.#byRunner.has(runner)
  }

  /** Takes a runner up, or anew, with what it holds and nothing else. */
  know(runner: string, holdings: ReadonlyArray<Holding>): void {
    for (const { lease } of this.of(runner)) this.drop(lease)
    this.#byRunner.set(runner, new Set())
    for (const holding of holdings) this.add(holding)
  }

  add(holding: Holding): void {
    this.#byLease.set(holding.lease, holding)
    this.#byRunner.get(holding.runner)?.add(holding.lease)
  }

  get(lease: string): Holding | undefined {
    return this.#byLease.get(lease)
  }

  drop(lease: string): void {
    const holding = this.#byLease.get(lease)
    if (holding === undefined) return
    this.#byLease.delete(lease)
    this.#byRunner.get(holding.runner)?.delete(lease)
  }

  of(runner: string): ReadonlyArray<Holding> {
    return [...(this.#byRunner.get(runner) ?? [])].map((lease) => this.#byLease.get(lease)!)
  }

  /** Forgets every other runner; one that comes back is read from the rows again. */
  keepOnly(here: (runner: string) => boolean): void {
    for (const { lease, runner } of this.#byLease.values()) if (!here(runner)) this.drop(lease)
    for (const runner of this.#byRunner.keys()) if (!here(runner)) this.#byRunner.delete(runner)
  }
}
