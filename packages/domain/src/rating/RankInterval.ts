/**
 * The interval that an entry's true rank lies in with 95 % (docs/rating.md#intervals-of-ranks). True ratings
 * are believed to be normal, N(mu, sigma²), and independent. Given one's own true rating t, the number of
 * stronger entries is a sum of independent chances: its mean and variance are sums over the ladder, the same
 * for every entry but for the entry's own share. They are tabulated once over a bounded grid of t; an entry's
 * interval then takes the same time whatever the size of its ladder.
 */
import type { Rating } from "./Rating.ts"

/** This many entries of about this rating. */
export interface Group extends Readonly<Rating> {
  readonly entries: number
}

/** At a true rating of `from + i * step`: mean and variance of the number of entries that are stronger. */
export interface Field {
  readonly entries: number
  readonly from: number
  readonly step: number
  readonly mean: Float64Array
  readonly variance: Float64Array
}

export interface RankInterval {
  readonly low: number
  readonly high: number
}

/** Steps of 3 points on a usual ladder, whose deviations are 15 and more. */
const GRID = 1024
/** Beyond this many deviations a chance counts as 0 or 1: off by 3 in 100,000. */
const REACH = 4
const COVERED = 0.95
/** Of a number of entries: where every one of them is stronger, or weaker, for sure. */
const LEAST_VARIANCE = 1e-6

/** Own true ratings: equally spaced over three deviations to both sides, with the weights of a normal distribution. */
const NODES = 17
const NODE_SPACING = 6 / (NODES - 1)
const nodeAt = (k: number) => (k - (NODES - 1) / 2) * NODE_SPACING

/** The normal distribution function to seven digits (Abramowitz and Stegun 7.1.26). */
const cumulative = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x)
  return z < 0 ? tail / 2 : 1 - tail / 2
}

/** The same by table, off by 0.001 at most: `CHANCES[(z + REACH) * PER_DEVIATION]`. */
const PER_DEVIATION = 256
const CHANCES = Float64Array.from({ length: 2 * REACH * PER_DEVIATION + 1 }, (_, i) => cumulative(i / PER_DEVIATION - REACH))
const chance = (z: number): number => (z <= -REACH ? 0 : z >= REACH ? 1 : CHANCES[((z + REACH) * PER_DEVIATION + 0.5) | 0]!)

const WEIGHTS = (() => {
  const density = Float64Array.from({ length: NODES }, (_, k) => Math.exp(-(nodeAt(k) ** 2) / 2))
  const sum = density.reduce((a, b) => a + b, 0)
  return density.map((each) => each / sum)
})()
/** The chance that an entry's rating is above its own node: the share of the ladder's sum that is the entry itself. */
const OWN = Float64Array.from({ length: NODES }, (_, k) => 1 - cumulative(nodeAt(k)))

/** A group of one entry is exact. Time: the number of groups, times the share of the grid within their reach. */
export const fieldOf = (groups: ReadonlyArray<Group>): Field => {
  let [from, to, entries] = [Infinity, -Infinity, 0]
  for (const group of groups) {
    from = Math.min(from, group.mu - REACH * group.sigma)
    to = Math.max(to, group.mu + REACH * group.sigma)
    entries += group.entries
  }
  const step = (to - from) / (GRID - 1)
  const mean = new Float64Array(GRID)
  const variance = new Float64Array(GRID)
  const sure = new Float64Array(GRID + 1) // entries that are stronger for sure below this point of the grid
  for (const { entries, mu, sigma } of groups) {
    const first = Math.max(0, Math.ceil((mu - REACH * sigma - from) / step))
    const last = Math.min(GRID - 1, Math.floor((mu + REACH * sigma - from) / step))
    const slope = (step / sigma) * PER_DEVIATION
    let place = ((mu - from - first * step) / sigma + REACH) * PER_DEVIATION + 0.5
    for (let i = first; i <= last; i++, place -= slope) {
      const p = CHANCES[place | 0]!
      mean[i]! += entries * p
      variance[i]! += entries * p * (1 - p)
    }
    sure[first]! += entries
  }
  for (let i = GRID - 1, stronger = 0; i >= 0; i--) {
    stronger += sure[i + 1]!
    mean[i]! += stronger
  }
  return { entries, from, step, mean, variance }
}

/** Between two points of the grid. */
const between = (table: Float64Array, place: number): number => {
  if (!(place > 0)) return table[0]!
  if (place >= GRID - 1) return table[GRID - 1]!
  const i = place | 0
  return table[i]! + (table[i + 1]! - table[i]!) * (place - i)
}

/** The interval of one entry of the ladder, both ends included: some ten steps of `NODES` chances each. */
export const rankInterval = ({ entries, from, mean, step, variance }: Field, { mu, sigma }: Readonly<Rating>): RankInterval => {
  const ranks = new Float64Array(NODES)
  const deviations = new Float64Array(NODES)
  for (let k = 0; k < NODES; k++) {
    const place = (mu + nodeAt(k) * sigma - from) / step
    const half = (NODE_SPACING * sigma) / step / 2
    const width = between(mean, place - half) - between(mean, place + half)
    ranks[k] = 1 + between(mean, place) - OWN[k]!
    deviations[k] = Math.sqrt(Math.max(LEAST_VARIANCE, between(variance, place) - OWN[k]! * (1 - OWN[k]!) + (width * width) / 12))
  }
  const atMost = (rank: number) => {
    let sum = 0
    for (let k = 0; k < NODES; k++) sum += WEIGHTS[k]! * chance((rank + 0.5 - ranks[k]!) / deviations[k]!)
    return sum
  }
  /** The first rank from `low` on that is reached with this chance. */
  const quantile = (share: number, low: number) => {
    let high = entries
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (atMost(middle) < share) low = middle + 1
      else high = middle
    }
    return low
  }
  const low = quantile((1 - COVERED) / 2, 1)
  return { low, high: quantile((1 + COVERED) / 2, low) }
}
