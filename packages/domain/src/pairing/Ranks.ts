/**
 * How many entries of a ladder are rated higher than a mean, in logarithmic time: a Fenwick tree over steps of half an
 * Elo point. Places are exact to within such a step, which is what "was in the top N when it was played" needs.
 */

const STEP = 0.5
const STEPS = 16_384 // means from -4096 to 4096; a mean outside counts at the nearer end

export class Ranks {
  readonly #tree = new Int32Array(STEPS + 1)
  #size = 0

  add(mu: number): void {
    this.#change(mu, 1)
  }

  remove(mu: number): void {
    this.#change(mu, -1)
  }

  /** Sets every mean to this one. */
  reset(mu: number): void {
    const size = this.#size
    this.#tree.fill(0)
    this.#size = 0
    this.#change(mu, size)
  }

  /** 1 for the best. */
  placeOf(mu: number): number {
    let atMost = 0
    for (let i = stepOf(mu); i > 0; i -= i & -i) atMost += this.#tree[i]!
    return this.#size - atMost + 1
  }

  #change(mu: number, by: number): void {
    this.#size += by
    for (let i = stepOf(mu); i <= STEPS; i += i & -i) this.#tree[i]! += by
  }
}

const stepOf = (mu: number): number => Math.min(STEPS, Math.max(1, Math.floor(mu / STEP) + STEPS / 2 + 1))
