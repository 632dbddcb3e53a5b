/**
 * The only source of randomness in a match: mulberry32, whose whole state is one uint32 counter that starts as the match's
 * seed (docs/games.md#randomness). The counter is kept as an int32, which the runtime stores unboxed.
 */
export class Mulberry32 {
  #counter: number

  constructor(seed: number) {
    this.#counter = seed | 0
  }

  /** The counter as a uint32: `rng` in the canonical state. */
  get counter(): number {
    return this.#counter >>> 0
  }

  /** A whole uint32. */
  next(): number {
    const a = (this.#counter + 0x6d2b79f5) | 0
    this.#counter = a
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }

  /** Uniform in 0..n-1, n at least 1. Numbers past the last whole multiple of n are drawn again; `below(1)` draws one. */
  below(n: number): number {
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % n)
    let x = this.next()
    while (x >= limit) x = this.next()
    return x % n
  }
}
