/**
 * The interval that an entry's true rank lies in with 95 % (docs/rating.md#intervals-of-ranks): one more than the number of
 * stronger entries, for each of the entry's own true ratings, weighed by how likely it is to have that one. By tables over
 * the ladder it takes the same time whatever the ladder's size. Where few entries are in doubt, as at the top, their number
 * is far from normal: the second of a ladder whose first is stronger for sure would have rank 1 in its interval. There each
 * of them is counted.
 */
import { addEvent } from "./PoissonBinomial.ts"
import { between, chance, cumulative, type Doubtful, type Field, GRID, type Group } from "./RankField.ts"
import type { Rating } from "./Rating.ts"

export interface RankInterval {
  readonly low: number
  readonly high: number
}

const COVERED = 0.95
/** The least variance that a number of entries counts as having: it is 0 where each is stronger, or weaker, for sure. */
const LEAST_VARIANCE = 1e-6
/** Own true ratings: equally spaced over three deviations to both sides, with the weights of a normal distribution. */
const NODES = 17
const NODE_SPACING = 6 / (NODES - 1)
const nodeAt = (k: number) => (k - (NODES - 1) / 2) * NODE_SPACING

const WEIGHTS = (() => {
  const density = Float64Array.from({ length: NODES }, (_, k) => Math.exp(-(nodeAt(k) ** 2) / 2))
  const sum = density.reduce((a, b) => a + b, 0)
  return density.map((each) => each / sum)
})()
/** The chance that an entry's rating is above its own node: the share of the ladder's sum that is the entry itself. */
const OWN = Float64Array.from({ length: NODES }, (_, k) => 1 - cumulative(nodeAt(k)))

/** The interval of one entry of the ladder, both ends included. */
export const rankInterval = (field: Field, rating: Readonly<Rating>): RankInterval => {
  const pointAt = (k: number) =>
    Math.round(Math.max(0, Math.min(GRID - 1, (rating.mu + nodeAt(k) * rating.sigma - field.from) / field.step)))
  const points = Int32Array.from({ length: NODES }, (_, k) => pointAt(k))
  const [first, last] = [points[0]!, points[NODES - 1]!]
  const isCounted = field.few[last + 1]! - field.few[first]! === last + 1 - first
  return isCounted ? counted(field, rating, points) : approximated(field, rating)
}

/** By the normal distribution: some ten steps of `NODES` chances each. The mean's change between two nodes counts as variance. */
const approximated = ({ entries, from, mean, step, variance }: Field, { mu, sigma }: Readonly<Rating>): RankInterval => {
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

/** By the chances of those in doubt at each node, each the mean of its chances from the middle before the node to the next. */
const counted = ({ near, sure }: Field, rating: Readonly<Rating>, points: Int32Array): RankInterval => {
  const others = withoutOwn(
    near.filter(({ first, last }) => first <= points[NODES - 1]! && last >= points[0]!),
    rating
  )
  const most = others.reduce((sum, { entries }) => sum + entries, 0)
  const best = sure[points[NODES - 1]!]! // stronger for sure where the own rating is highest
  const ranks = new Float64Array(sure[points[0]!]! - best + most + 1) // the chance of each rank from best + 1 on
  const shares = new Float64Array(most + 2)
  const spread = (NODE_SPACING * rating.sigma) ** 2 / 12
  for (let k = 0; k < NODES; k++) {
    const point = points[k]!
    const t = rating.mu + nodeAt(k) * rating.sigma
    shares.fill(0)
    shares[0] = 1
    let events = 0
    for (const { entries, first, last, mu, sigma } of others) {
      if (point < first || point > last) continue
      const p = chance((mu - t) / Math.sqrt(sigma * sigma + spread))
      for (let n = 0; n < entries; n++) addEvent(shares, events++, p)
    }
    for (let n = 0; n <= events; n++) ranks[sure[point]! - best + n]! += WEIGHTS[k]! * shares[n]!
  }
  const quantile = (share: number) => {
    let rank = 0
    for (let sum = ranks[0]!; sum < share && rank < ranks.length - 1; sum += ranks[rank]!) rank++
    return best + 1 + rank
  }
  return { low: quantile((1 - COVERED) / 2), high: quantile((1 + COVERED) / 2) }
}

/** One entry less in the group that this rating is among. */
const withoutOwn = (groups: ReadonlyArray<Doubtful>, { mu, sigma }: Readonly<Rating>): ReadonlyArray<Doubtful> => {
  const apart = (group: Group) => Math.abs(group.mu - mu) + Math.abs(group.sigma - sigma)
  const own = groups.reduce<Doubtful | undefined>(
    (least, group) => (least === undefined || apart(group) < apart(least) ? group : least),
    undefined
  )
  return groups.map((group) => (group === own ? { ...group, entries: group.entries - 1 } : group))
}
