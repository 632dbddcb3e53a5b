/**
 * Pairs of owners of whom one gains more points from the other than the ratings say (docs/rating.md#pairs-of-owners).
 *
 * For each match and pair of owners in it there is one score: what the seats of the one had against those of
 * the other, on average, from 0 to 1, beside what their ratings expected when it was played. Scores of
 * several pairs in one match depend on each other, and those of one pair in several matches do not: a rating
 * already has all that earlier matches tell. So each pair is judged by itself, and the number of pairs is
 * paid for by Bonferroni's bound, which holds however they depend.
 */
import { expected, type Rating } from "./Rating.ts"

/** A seat of a rated match, with the rating that it was played with. */
export interface OwnedSeat extends Readonly<Rating> {
  /** Null for a baseline, which is in no pair. */
  readonly owner: string | null
  /** 1 is best, equal is a tie. */
  readonly rank: number
}

export interface OwnerPair {
  /** `gainer` had more points against `giver` than their ratings say. */
  readonly gainer: string
  readonly giver: string
  /** Matches in which both had a seat. */
  readonly matches: number
  /** Points that `gainer` had in them, a win 1 and a tie 1/2, and those that the ratings expected. */
  readonly points: number
  readonly expected_points: number
  /** The difference in standard deviations. */
  readonly z: number
  /** Bound on the chance that any pair of a season without collusion stands out so far. */
  readonly chance: number
}

export interface Judgement {
  /** Pairs that were judged. */
  readonly judged: number
  /** Variance of the scores against what the ratings allow for, at least 1. */
  readonly inflation: number
  /** Those that chance does not explain, the least likely first. */
  readonly pairs: ReadonlyArray<OwnerPair>
}

/** A pair is judged from so many matches on. */
export const JUDGED_MATCHES_MIN = 10
/** One season in so many without collusion shows a pair, at most. */
const CHANCE_MAX = 0.05
export const SHOWN_PAIRS_MAX = 20
/** Pairs kept at once, some 150 bytes each. */
const PAIRS_MAX = 100_000
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
/** Owners are numbered; two numbers make a key. */
const OWNERS_MAX = 2 ** 26

interface Sums {
  /** By name, so that the order of owners does not depend on the order of matches. */
  readonly first: string
  readonly second: string
  matches: number
  /** Of `second`. */
  points: number
  expected: number
  variance: number
}

/**
 * Scores of the pairs of a log. Memory is bounded: where there are too many pairs, those with the
 * fewest matches are forgotten.
 */
export class OwnerPairs {
  readonly #numbers = new Map<string, number>()
  readonly #pairs = new Map<number, Sums>()
  readonly #most: number
  /** Pairs that were forgotten with enough matches to be judged. */
  #forgotten = 0

  constructor(most = PAIRS_MAX) {
    this.#most = most
  }

  /** Adds one rated match. */
  add(seats: ReadonlyArray<OwnedSeat>): void {
    const owners = [...new Set(seats.flatMap(({ owner }) => (owner === null ? [] : [owner])))].sort()
    owners.forEach((first, i) => {
      for (const second of owners.slice(i + 1)) this.#score(first, second, seats)
    })
  }

  #score(first: string, second: string, seats: ReadonlyArray<OwnedSeat>) {
    let points = 0
    let chance = 0
    let games = 0
    for (const ours of seats)
      for (const theirs of seats) {
        if (ours.owner !== second || theirs.owner !== first) continue
        points += ours.rank < theirs.rank ? 1 : ours.rank === theirs.rank ? 0.5 : 0
        chance += expected(ours, theirs)
        games++
      }
    const p = chance / games
    const sums = this.#sumsOf(first, second)
    sums.matches++
    sums.points += points / games
    sums.expected += p
    sums.variance += p * (1 - p)
  }

  #sumsOf(first: string, second: string): Sums {
    const key = this.#numberOf(first) * OWNERS_MAX + this.#numberOf(second)
    const had = this.#pairs.get(key)
    if (had !== undefined) return had
    if (this.#pairs.size >= this.#most) this.#forget()
    const sums = { first, second, matches: 0, points: 0, expected: 0, variance: 0 }
    this.#pairs.set(key, sums)
    return sums
  }

  #numberOf(owner: string): number {
    const had = this.#numbers.get(owner)
    if (had !== undefined) return had
    this.#numbers.set(owner, this.#numbers.size)
    return this.#numbers.size - 1
  }

  /** Halves the pairs: those with the fewest matches go, among equals the oldest. */
  #forget() {
    const sorted = [...this.#pairs].sort(([, a], [, b]) => a.matches - b.matches)
    for (const [key, { matches }] of sorted.slice(0, Math.ceil(sorted.length / 2))) {
      if (matches >= JUDGED_MATCHES_MIN) this.#forgotten++
      this.#pairs.delete(key)
    }
  }

  judge(): Judgement {
    const enough = [...this.#pairs.values()].filter(({ matches }) => matches >= JUDGED_MATCHES_MIN)
    const judged = enough.length + this.#forgotten
    const inflation = inflationOf(enough)
    const pairs = enough
      .map((sums) => pairOf(sums, judged, inflation))
      .filter(({ chance }) => chance <= CHANCE_MAX)
      .sort((a, b) => a.chance - b.chance || (a.gainer + a.giver < b.gainer + b.giver ? -1 : 1))
    return { judged, inflation, pairs: pairs.slice(0, SHOWN_PAIRS_MAX) }
  }
}

const zOf = ({ expected, points, variance }: Sums) => (points - expected) / Math.sqrt(variance)

/**
 * Where styles meet, or strengths are spread otherwise than ratings believe, scores of all pairs vary more
 * than they should. The median of their squares tells by how much, and a few pairs that collude do not move
 * it. Its own standard error is taken off, since by chance alone it is too large as often as too small.
 */
const inflationOf = (pairs: ReadonlyArray<Sums>): number => {
  if (pairs.length < INFLATION_PAIRS_MIN) return 1
  const squares = pairs.map((sums) => zOf(sums) ** 2).sort((a, b) => a - b)
  const median = squares[Math.floor(squares.length / 2)]!
  return Math.max(1, median / CHI2_MEDIAN - CHI2_MEDIAN_ERROR / Math.sqrt(squares.length))
}

/**
 * A normal approximation would find far too many pairs of unequal strength, whose scores are skewed. The tail
 * of a binomial of the mean chance has no smaller chance than that of scores with other chances of the same
 * mean, as Hoeffding has shown; scores that are no whole points vary less, and are rounded down.
 */
const pairOf = (sums: Sums, judged: number, inflation: number): OwnerPair => {
  const gains = sums.points >= sums.expected
  const { matches } = sums
  const points = gains ? sums.points : matches - sums.points
  const expected_points = gains ? sums.expected : matches - sums.expected
  const logarithm = logTail(matches, Math.floor(points), expected_points / matches)
  return {
    gainer: gains ? sums.second : sums.first,
    giver: gains ? sums.first : sums.second,
    matches,
    points,
    expected_points,
    z: Math.abs(zOf(sums)),
    chance: Math.min(1, 2 * judged * Math.exp(logarithm / inflation))
  }
}

/**
 * The logarithm of the chance of at least so many wins among `n` of chance `p`. Terms beyond the
 * mean fall, so few of them count.
 */
const logTail = (n: number, wins: number, p: number): number => {
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
