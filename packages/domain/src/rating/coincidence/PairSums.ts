/** Sums kept for pairs of owners. */
import { JUDGED_MATCHES_MIN } from "./chance.ts"

/** Pairs kept at once, some 150 bytes each. */
const PAIRS_MAX = 100_000
/** Owners are numbered; two numbers make a key. */
const OWNERS_MAX = 2 ** 26

/** Memory is bounded: where there are too many pairs, those with the fewest matches are forgotten. */
export class PairSums<A extends { readonly matches: number }> {
  readonly #numbers = new Map<string, number>()
  readonly #pairs = new Map<number, A>()
  readonly #fresh: (first: string, second: string) => A
  readonly #most: number
  #forgotten = 0

  constructor(fresh: (first: string, second: string) => A, most = PAIRS_MAX) {
    this.#fresh = fresh
    this.#most = most
  }

  /** Those of this pair in this order. */
  of(first: string, second: string): A {
    const key = this.#numberOf(first) * OWNERS_MAX + this.#numberOf(second)
    const had = this.#pairs.get(key)
    if (had !== undefined) return had
    if (this.#pairs.size >= this.#most) this.#forget()
    const sums = this.#fresh(first, second)
    this.#pairs.set(key, sums)
    return sums
  }

  /** Those of pairs with enough matches to be judged. */
  enough(): Array<A> {
    return [...this.#pairs.values()].filter(({ matches }) => matches >= JUDGED_MATCHES_MIN)
  }

  /** Pairs that were forgotten with enough matches to be judged. */
  get forgotten(): number {
    return this.#forgotten
  }

  #numberOf(owner: string): number {
    const had = this.#numbers.get(owner)
    if (had !== undefined) return had
    this.#numbers.set(owner, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** Halves the pairs: those with the fewest matches go, among equals the oldest. Sorting them all would take a tenth of a second. */
  #forget() {
    const numbers: Array<number> = []
    for (const { matches } of this.#pairs.values()) numbers[matches] = (numbers[matches] ?? 0) + 1
    let left = Math.ceil(this.#pairs.size / 2)
    let most = 0 // of so many matches some go, and of fewer all
    for (; left > (numbers[most] ?? 0); most++) left -= numbers[most] ?? 0
    for (const [key, { matches }] of this.#pairs) {
      if (matches > most || (matches === most && left-- <= 0)) continue
      if (matches >= JUDGED_MATCHES_MIN) this.#forgotten++
      this.#pairs.delete(key)
    }
  }
}
