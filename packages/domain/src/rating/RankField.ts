/**
 * The number of stronger entries on a whole ladder, for the intervals of ranks (RankInterval.ts). The true ratings are
 * believed to be normal, N(mu, sigma²), and independent. Given a true rating t, the number of entries that are stronger is
 * a sum of independent chances. Its mean and variance are tabulated over a bounded grid of t.
 */
import type { Rating } from "./Rating.ts"

/** This many entries of about this rating. */
export interface Group extends Readonly<Rating> {
  readonly entries: number
}

/** A group that is stronger or weaker for sure but from the `first` to the `last` point of the grid. */
export interface Doubtful extends Group {
  readonly first: number
  readonly last: number
}

/** The number of entries that are stronger than a true rating of `from + i * step`, by `i`. */
export interface Field {
  readonly entries: number
  readonly from: number
  readonly step: number
  readonly mean: Float64Array
  readonly variance: Float64Array
  /** Those that are stronger for sure. */
  readonly sure: Float64Array
  /** Points of the grid before `i` where few are in doubt; one more than the grid has. */
  readonly few: Int32Array
  /** The groups that are in doubt at such a point. */
  readonly near: ReadonlyArray<Doubtful>
}

/** Steps of 3 points on a usual ladder, whose deviations are 15 and more. */
export const GRID = 1024
/** Beyond this many deviations a chance counts as 0 or 1: off by 3 in 100,000. */
const REACH = 4
/** So many entries in doubt are counted one by one. */
const COUNTED_MAX = 16

/** The normal distribution function to seven digits (Abramowitz and Stegun 7.1.26). */
export const cumulative = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x)
  return z < 0 ? tail / 2 : 1 - tail / 2
}

/** The same by table, off by 0.001 at most: `CHANCES[(z + REACH) * PER_DEVIATION]`. */
const PER_DEVIATION = 256
const CHANCES = Float64Array.from({ length: 2 * REACH * PER_DEVIATION + 1 }, (_, i) => cumulative(i / PER_DEVIATION - REACH))
export const chance = (z: number): number => (z <= -REACH ? 0 : z >= REACH ? 1 : CHANCES[((z + REACH) * PER_DEVIATION + 0.5) | 0]!)

/** A group of one entry is exact. Time: the number of groups, times the share of the grid within their reach. */
export const fieldOf = (groups: ReadonlyArray<Group>): Field => {
  let [from, to, entries] = [Infinity, -Infinity, 0]
  for (const group of groups) {
    from = Math.min(from, group.mu - REACH * group.sigma)
    to = Math.max(to, group.mu + REACH * group.sigma)
    entries += group.entries
  }
  const step = (to - from) / (GRID - 1)
  const [mean, variance, doubtful] = [new Float64Array(GRID), new Float64Array(GRID), new Float64Array(GRID)]
  const sure = new Float64Array(GRID + 1) // entries that are stronger for sure below this point of the grid
  const reaching = groups.map(({ entries, mu, sigma }) => {
    const first = Math.max(0, Math.ceil((mu - REACH * sigma - from) / step))
    const last = Math.min(GRID - 1, Math.floor((mu + REACH * sigma - from) / step))
    return { entries, mu, sigma, first, last }
  })
  for (const { entries, first, last, mu, sigma } of reaching) {
    const slope = (step / sigma) * PER_DEVIATION
    let place = ((mu - from - first * step) / sigma + REACH) * PER_DEVIATION + 0.5
    for (let i = first; i <= last; i++, place -= slope) {
      const p = CHANCES[place | 0]!
      mean[i]! += entries * p
      variance[i]! += entries * p * (1 - p)
      doubtful[i]! += entries
    }
    sure[first]! += entries
  }
  for (let i = GRID - 1, stronger = 0; i >= 0; i--) {
    stronger += sure[i + 1]!
    sure[i + 1] = stronger
    mean[i]! += stronger
  }
  const few = new Int32Array(GRID + 1)
  for (let i = 0; i < GRID; i++) few[i + 1] = few[i]! + Number(doubtful[i]! <= COUNTED_MAX)
  const near = reaching.filter(({ first, last }) => few[last + 1]! > few[first]!)
  return { entries, from, step, mean, variance, sure: sure.subarray(1), few, near }
}

/** Between two points of the grid. */
export const between = (table: Float64Array, place: number): number => {
  if (!(place > 0)) return table[0]!
  if (place >= GRID - 1) return table[GRID - 1]!
  const i = place | 0
  return table[i]! + (table[i + 1]! - table[i]!) * (place - i)
}
