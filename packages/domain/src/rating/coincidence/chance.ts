/** How unlikely scores are that stand out among many, whatever else makes all of them vary. */

/** A pair is judged from so many matches on. */
export const JUDGED_MATCHES_MIN = 10
/** One season in so many without collusion shows a pair, at most. */
export const CHANCE_MAX = 0.05
export const SHOWN_PAIRS_MAX = 20
/**
 * From so many pairs on their median shows whether all vary more than the ratings allow for; two
 * owners move most pairs of fewer.
 */
const INFLATION_PAIRS_MIN = 60
/**
 * Median of the square of a standard normal, and the standard error of the median of one
 * such square as a share of it.
 */
const CHI2_MEDIAN = 0.4549
const CHI2_MEDIAN_ERROR = 2.33

/**
 * Where styles meet, or strengths are spread otherwise than ratings believe, scores of all pairs vary more
 * than they should. The median of their squares tells by how much, and a few pairs that collude do not move
 * it. Its own standard error is taken off, since by chance alone it is too large as often as too small.
 * `deviations`: those of all pairs, in standard deviations.
 */
export const inflationOf = (deviations: ReadonlyArray<number>): number => {
  if (deviations.length < INFLATION_PAIRS_MIN) return 1
  const squares = deviations.map((z) => z ** 2).sort((a, b) => a - b)
  const median = squares[Math.floor(squares.length / 2)]!
  return Math.max(1, median / CHI2_MEDIAN - CHI2_MEDIAN_ERROR / Math.sqrt(squares.length))
}

/**
 * The logarithm of the chance of at least so many wins among `n` of chance `p`. Terms beyond the
 * mean fall, so few of them count.
 */
export const logTail = (n: number, wins: number, p: number): number => {
  if (wins <= n * p) return 0
  const first = logFactorial(n) - logFactorial(wins) - logFactorial(n - wins) + wins * Math.log(p) + (n - wins) * Math.log1p(-p)
  let sum = 1
  for (let k = wins, term = 1; k < n && term > sum * Number.EPSILON; k++) {
    term *= ((n - k) / (k + 1)) * (p / (1 - p))
    sum += term
  }
  return first + Math.log(sum)
}

/** Stirling's series from 16 on, where it is exact to 11 digits. */
const logFactorial = (n: number): number => {
  if (n < 16) {
    let product = 1
    for (let k = 2; k <= n; k++) product *= k
    return Math.log(product)
  }
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5)
}
