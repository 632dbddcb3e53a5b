/**
 * How well ratings match the true strengths. Matches reveal only differences, so errors are taken about their mean: the
 * zero of the scale cannot be known.
 */
import { fieldOf } from "@agon/domain/rating/RankField.ts"
import { rankInterval } from "@agon/domain/rating/RankInterval.ts"
import type { Rating } from "@agon/domain/rating/Rating.ts"

export interface Measured {
  readonly tau: number // Kendall's, of the order by mean against the order by strength
  readonly rmse: number // Elo points
  readonly coverage_1s: number // share of strengths within one deviation of the mean
  readonly coverage_2s: number
  readonly rank_coverage: number // share of entries whose true rank lies within the interval that the ladder shows
}

export const measure = (ratings: ReadonlyArray<Readonly<Rating>>, strengths: ReadonlyArray<number>): Measured => {
  const raw = ratings.map(({ mu }, i) => mu - strengths[i]!)
  const shift = raw.reduce((sum, error) => sum + error, 0) / raw.length
  const errors = raw.map((error) => error - shift)
  const within = (deviations: number) =>
    errors.filter((error, i) => Math.abs(error) <= deviations * ratings[i]!.sigma).length / errors.length
  return {
    tau: tauOf(
      ratings.map(({ mu }) => mu),
      strengths
    ),
    rmse: Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length),
    coverage_1s: within(1),
    coverage_2s: within(2),
    rank_coverage: rankCoverage(ratings, strengths)
  }
}

const rankCoverage = (ratings: ReadonlyArray<Readonly<Rating>>, strengths: ReadonlyArray<number>): number => {
  const field = fieldOf(ratings.map(({ mu, sigma }) => ({ mu, sigma, entries: 1 })))
  const order = strengths.map((_, i) => i).sort((a, b) => strengths[b]! - strengths[a]!)
  const within = order.filter((entry, i) => {
    const { high, low } = rankInterval(field, ratings[entry]!)
    return low <= i + 1 && i + 1 <= high
  })
  return within.length / order.length
}

/**
 * Kendall's tau-a in n log n: agreeing pairs less disagreeing ones, over all pairs; pairs of
 * equal means count for neither.
 */
export const tauOf = (means: ReadonlyArray<number>, strengths: ReadonlyArray<number>): number => {
  const n = means.length
  const order = means.map((_, i) => i).sort((a, b) => strengths[a]! - strengths[b]!)
  const sorted = order.map((i) => means[i]!)
  const discordant = inversions([...sorted])
  const counts = new Map<number, number>()
  for (const mean of means) counts.set(mean, (counts.get(mean) ?? 0) + 1)
  let tied = 0
  for (const count of counts.values()) tied += (count * (count - 1)) / 2
  const pairs = (n * (n - 1)) / 2
  return (pairs - tied - 2 * discordant) / pairs
}

/** Number of pairs out of order. Sorts the list. */
const inversions = (list: Array<number>): number => {
  if (list.length < 2) return 0
  const right = list.splice(list.length >> 1)
  const left = list.splice(0)
  let count = inversions(left) + inversions(right)
  let i = 0
  for (const value of right) {
    while (i < left.length && left[i]! <= value) list.push(left[i++]!)
    count += left.length - i
    list.push(value)
  }
  while (i < left.length) list.push(left[i++]!)
  return count
}
