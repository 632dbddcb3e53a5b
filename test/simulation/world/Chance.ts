/** Every choice of a simulated season, drawn from one seed (mulberry32). */
export interface Chance {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** True in this share of cases. */
  readonly in: (share: number) => boolean
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

export const make = (seed: number): Chance => {
  let t = seed | 0
  const next = () => {
    t = (t + 0x6d2b79f5) | 0
    let x = Math.imul(t ^ (t >>> 15), t | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    in: (share) => next() < share,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => items[Math.floor(next() * items.length)]!
  }
}
