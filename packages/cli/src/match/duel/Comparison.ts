/**
 * The strength of two models, compared by pairs of matches.
 *
 * Both matches of a pair have the same board and seed, with the seats exchanged, so the luck of a start falls
 * on both models. The results of a pair therefore hang together, and the pair counts as one observation with
 * five possible scores (pentanomial), from no point to both. The frequencies of the five scores tell their
 * own variance; a model of wins, draws and losses would overstate it.
 *
 * The likelihood of a mean score s is that of the likeliest distribution over the five scores with this
 * mean, given the frequencies p (Owen's empirical likelihood): q_i = p_i / (1 + t (a_i - s)), with t
 * such that the mean of q is s.
 *
 * - The interval is that of all s whose likelihood is at least e^-1.92 of the greatest (Wilks: 95 %).
 * - The sequential test is Wald's, with the generalised likelihood ratio of both hypotheses (Van den Bergh, "The Generalized Sequential
 *   Probability Ratio Test for Fishtest", 2018), whose errors are at most 5 % each. It is the test that Stockfish's fishtest uses.
 */

/** Numbers of pairs in which the first model had 0, 1/2, 1, 3/2 and 2 points. */
export type Pentanomial = readonly [number, number, number, number, number]

/** The two hypotheses of the test, as differences in Elo points: `elo0` under H0, which is no improvement worth having, `elo1` under H1. */
export interface Hypotheses {
  readonly elo0: number
  readonly elo1: number
}

export interface Estimate {
  /** Mean points a match, from 0 to 1. */
  readonly score: number
  readonly elo: number
  /** Bounds of the 95 % interval; infinite where one model has all the points. */
  readonly low: number
  readonly high: number
}

export interface Test extends Hypotheses {
  /** Logarithm of the likelihood ratio of `elo1` to `elo0`. */
  readonly llr: number
  /** `H1` from the upper bound on, `H0` from the lower. */
  readonly decision: "H0" | "H1" | "undecided"
}

export const NO_PAIRS: Pentanomial = [0, 0, 0, 0, 0]

const SCORES: ReadonlyArray<number> = [0, 0.25, 0.5, 0.75, 1]
/** Both errors of the test. */
const ERROR = 0.05
/** The test ends at this likelihood ratio or its reciprocal, as a logarithm. */
export const DECIDED_AT = Math.log((1 - ERROR) / ERROR)
/** Half of the 95 % quantile of chi square with one degree of freedom. */
const DROP = 1.920729
/**
 * A score that no pair has had counts as this many pairs, so that no hypothesis is
 * impossible. It is fishtest's number.
 */
const UNSEEN = 1e-3
const HALVINGS = 80

export const withPair = (pairs: Pentanomial, half_points: number): Pentanomial =>
  pairs.map((count, index) => (index === half_points ? count + 1 : count)) as unknown as Pentanomial

export const pairsIn = (pairs: Pentanomial): number => pairs.reduce((sum, count) => sum + count, 0)

export const estimate = (pairs: Pentanomial): Estimate => {
  const score = meanOf(pairs) / pairsIn(pairs)
  const smoothed = smooth(pairs)
  const middle = meanOf(smoothed) / pairsIn(smoothed)
  const isLikely = (at: number) => drop(smoothed, at) <= DROP
  return {
    score,
    elo: eloOf(score),
    low: score === 0 ? -Infinity : eloOf(edge(0, middle, (at) => !isLikely(at))),
    high: score === 1 ? Infinity : eloOf(edge(middle, 1, isLikely))
  }
}

export const test = (pairs: Pentanomial, { elo0, elo1 }: Hypotheses): Test => {
  const smoothed = smooth(pairs)
  const llr = drop(smoothed, scoreOf(elo0)) - drop(smoothed, scoreOf(elo1))
  return { elo0, elo1, llr, decision: llr >= DECIDED_AT ? "H1" : llr <= -DECIDED_AT ? "H0" : "undecided" }
}

const scoreOf = (elo: number): number => 1 / (1 + 10 ** (-elo / 400))
const eloOf = (score: number): number => 400 * Math.log10(score / (1 - score))

const meanOf = (pairs: Pentanomial): number => pairs.reduce((sum, count, index) => sum + count * SCORES[index]!, 0)
const smooth = (pairs: Pentanomial): Pentanomial => pairs.map((count) => Math.max(count, UNSEEN)) as unknown as Pentanomial

/** By how much the logarithm of the likelihood of the mean `at` is below the greatest. */
const drop = (pairs: Pentanomial, at: number): number => {
  const total = pairsIn(pairs)
  const excess = (t: number) =>
    pairs.reduce((sum, count, index) => sum + ((count / total) * (SCORES[index]! - at)) / (1 + t * (SCORES[index]! - at)), 0)
  // It falls from plus to minus infinity between the two poles.
  const t = edge(-1 / (1 - at), 1 / at, (one) => excess(one) > 0)
  return pairs.reduce((sum, count, index) => sum + count * Math.log(1 + t * (SCORES[index]! - at)), 0)
}

/** Where `holds`, true at `from` and false at `to`, changes. Neither end is asked. */
const edge = (from: number, to: number, holds: (at: number) => boolean): number => {
  let [low, high] = [from, to]
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}
