/**
 * The leases of this node's runners, each with its season: used to find a result's season and to keep a runner
 * within its slots without asking the database. It is a cache; the season's rows are the truth.
 * A runner new to this node, since the start or after a silence, is read from them once.
 */
import { parseLease } from "@agon/domain/season/Lease.ts"

export interface Holding {
  readonly lease: string
  readonly runner: string
  readonly key: string
  readonly season: string
  /**
   * Seats of the match, its season's most turns, and the strikes that end a seat; null, 0
   * and 0 for a review or an audit.
   */
  readonly seats: number | null
  readonly max_turns: number
  readonly strike_limit: number
  /** The replay of its result is checked before it counts (result/FinalsReplays.ts). */
  readonly is_finals: boolean
}

/** The last four of a review or an audit. */
export const NO_MATCH = { seats: null, max_turns: 0, strike_limit: 0, is_finals: false } as const satisfies Partial<Holding>

export class Holdings {
  readonly #byLease = new Map<string, Holding>()
  readonly #byRunner = new Map<string, Set<string>>()
  /** The last lease of each piece of work that is held. */
  readonly #ofWork = new Map<string, string>()

  knows(runner: string): boolean {
    return this.#byRunner.has(runner)
  }

  /** Registers a runner, or replaces its entry, with exactly these holdings. Answers whether it knew of each of them. */
  know(runner: string, holdings: ReadonlyArray<Holding>): boolean {
    const knew = holdings.every(({ lease }) => this.#byLease.has(lease))
    for (const { lease } of this.of(runner)) this.drop(lease)
    this.#byRunner.set(runner, new Set())
    for (const holding of holdings) this.add(holding)
    return knew
  }

  /** The previous holder of the same work under another lease no longer holds it. */
  add(holding: Holding): void {
    const work = workOf(holding.lease)
    const before = this.#ofWork.get(work)
    if (before !== undefined && before !== holding.lease) this.drop(before)
    this.#ofWork.set(work, holding.lease)
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
    if (this.#ofWork.get(workOf(lease)) === lease) this.#ofWork.delete(workOf(lease))
    this.#byRunner.get(holding.runner)?.delete(lease)
  }

  of(runner: string): ReadonlyArray<Holding> {
    return [...(this.#byRunner.get(runner) ?? [])].map((lease) => this.#byLease.get(lease)!)
  }

  /** The runner is read from the rows again. */
  forget(runner: string): void {
    for (const { lease } of this.of(runner)) this.drop(lease)
    this.#byRunner.delete(runner)
  }

  /** Forgets every other runner. */
  keepOnly(here: (runner: string) => boolean): void {
    for (const { lease, runner } of this.#byLease.values()) if (!here(runner)) this.drop(lease)
    for (const runner of this.#byRunner.keys()) if (!here(runner)) this.#byRunner.delete(runner)
  }
}

/** An invalid lease name stands for itself. */
const workOf = (lease: string): string => parseLease(lease)?.id ?? lease
