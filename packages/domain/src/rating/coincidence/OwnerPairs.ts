/**
 * Pairs of owners of whom one gains more points from the other than the ratings say (docs/rating.md#pairs-of-owners).
 *
 * For each match and pair of owners in it there is one score: the points of the one's seats against those of
 * the other, on average, from 0 to 1, beside what their ratings expected when it was played. Scores of
 * several pairs in one match depend on each other, and those of one pair in several matches do not: a rating
 * already has all that earlier matches tell. So each pair is judged by itself, and the number of pairs is
 * paid for by Bonferroni's bound, which holds however they depend.
 */
import { expected, type Rating } from "../Rating.ts"
import { CHANCE_MAX, inflationOf, logTail, SHOWN_PAIRS_MAX } from "./chance.ts"
import { PairSums } from "./PairSums.ts"

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

/** Scores of the pairs of a log, in bounded memory. */
export class OwnerPairs {
  readonly #pairs: PairSums<Sums>

  /** `most`: pairs that are kept. */
  constructor(most?: number) {
    this.#pairs = new PairSums((first, second) => ({ first, second, matches: 0, points: 0, expected: 0, variance: 0 }), most)
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
    const sums = this.#pairs.of(first, second)
    sums.matches++
    sums.points += points / games
    sums.expected += p
    sums.variance += p * (1 - p)
  }

  judge(): Judgement {
    const enough = this.#pairs.enough()
    const judged = enough.length + this.#pairs.forgotten
    const inflation = inflationOf(enough.map(zOf))
    const pairs = enough
      .map((sums) => pairOf(sums, judged, inflation))
      .filter(({ chance }) => chance <= CHANCE_MAX)
      .sort((a, b) => a.chance - b.chance || (a.gainer + a.giver < b.gainer + b.giver ? -1 : 1))
    return { judged, inflation, pairs: pairs.slice(0, SHOWN_PAIRS_MAX) }
  }
}

const zOf = ({ expected, points, variance }: Sums) => (points - expected) / Math.sqrt(variance)

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
