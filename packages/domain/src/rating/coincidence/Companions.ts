/**
 * Owners whose results against everybody else are other than usual where a certain other owner sits in the match: who
 * is helped by it, or hindered (docs/rating.md#third-seats). `OwnerPairs` sees only what the two have against each other.
 *
 * For each match of three seats or more, owner and companion there is one score: the share of the other seats that the
 * owner's was better than, from 0 to 1, beside what the ratings expected. It is compared with the owner's matches without
 * the companion, since a rating follows what happens to it: whoever is hindered in half of its matches seems to be
 * helped in the others. A score is the mean of comparisons with one seat, so it varies less than one of them; by
 * how much follows from the chances, as Plackett-Luce has them.
 */
import { expected } from "../Rating.ts"
import { inflationOf, JUDGED_MATCHES_MIN, logTail, SHOWN_PAIRS_MAX } from "./chance.ts"
import type { OwnedSeat } from "./OwnerPairs.ts"
import { PairSums } from "./PairSums.ts"

export interface Companion {
  /** More points than expected: helped by `companion`; fewer: hindered. */
  readonly owner: string
  readonly companion: string
  /** Matches in which both had a seat, and somebody else. */
  readonly matches: number
  /** Shares of the other seats that the owner's seat was better than, summed over these matches, and as in its matches without `companion`. */
  readonly points: number
  readonly expected_points: number
  /** The difference in standard deviations, negative where the owner is hindered. */
  readonly z: number
  /** Bound on the chance that any pair of a season without collusion stands out so far. */
  readonly chance: number
}

/**
 * Less than for pairs of owners: the chance is approximate, since what is to be expected is itself known from matches. With it at most 5 %
 * of seasons without collusion list somebody, also where strengths lie twice as far apart as ratings believe.
 */
const CHANCE_MAX = 0.02

export interface CompanionJudgement {
  readonly judged: number
  readonly pairs: ReadonlyArray<Companion>
}

/** A score, what was expected of it, and how much it varies. */
interface Score {
  points: number
  expected: number
  variance: number
}
interface Sums {
  readonly owner: string
  readonly companion: string
  matches: number
  /** Against all seats but these two. */
  readonly others: Score
  /** Against all seats but the owner's: the part to be taken off its total. */
  readonly all: Score
}
interface Total extends Score {
  matches: number
}

const none = (): Score => ({ points: 0, expected: 0, variance: 0 })
const addTo = (sum: Score, { expected, points, variance }: Score): void => {
  sum.points += points
  sum.expected += expected
  sum.variance += variance
}

export class Companions {
  readonly #pairs = new PairSums((owner, companion): Sums => ({ owner, companion, matches: 0, others: none(), all: none() }))
  readonly #totals = new Map<string, Total>()

  /** Adds one rated match. An owner with several seats in it is in no pair. */
  add(seats: ReadonlyArray<OwnedSeat>): void {
    const alone = seats.flatMap(({ owner }, at) =>
      owner !== null && seats.every((each, i) => i === at || each.owner !== owner) ? [at] : []
    )
    for (const own of alone) {
      const duels = duelsOf(seats, own)
      const all = scoreOf(duels)
      const owner = seats[own]!.owner!
      const total = this.#totals.get(owner) ?? { matches: 0, ...none() }
      this.#totals.set(owner, total)
      total.matches++
      addTo(total, all)
      if (seats.length < 3) continue
      for (const at of alone) {
        if (at === own) continue
        const sums = this.#pairs.of(owner, seats[at]!.owner!)
        sums.matches++
        addTo(sums.all, all)
        addTo(sums.others, scoreOf(duels.filter(({ seat }) => seat !== at)))
      }
    }
  }

  judge(): CompanionJudgement {
    const compared = this.#pairs.enough().flatMap((sums) => comparedWith(this.#totals.get(sums.owner)!, sums))
    const inflation = inflationOf(compared.map(({ z }) => z))
    const judged = compared.length + this.#pairs.forgotten
    const pairs = compared
      .map(({ logarithm, ...pair }): Companion => ({ ...pair, chance: Math.min(1, 2 * judged * Math.exp(logarithm / inflation)) }))
      .filter(({ chance }) => chance <= CHANCE_MAX)
      .sort((a, b) => a.chance - b.chance || (a.owner + a.companion < b.owner + b.companion ? -1 : 1))
    return { judged, pairs: pairs.slice(0, SHOWN_PAIRS_MAX) }
  }
}

/** One seat against another: the odds against it, and what became of it. */
interface Duel {
  readonly seat: number
  readonly odds: number
  readonly points: number
}

const duelsOf = (seats: ReadonlyArray<OwnedSeat>, own: number): ReadonlyArray<Duel> =>
  seats.flatMap((each, seat) => {
    if (seat === own) return []
    const mine = seats[own]!
    const points = mine.rank < each.rank ? 1 : mine.rank === each.rank ? 0.5 : 0
    return [{ seat, odds: 1 / expected(mine, each) - 1, points }]
  })

/** The mean of the duels. Two of them agree more often than chance: both are lost where the seat has a bad match. */
const scoreOf = (duels: ReadonlyArray<Duel>): Score => {
  const sum = none()
  for (const [i, one] of duels.entries()) {
    const p = 1 / (1 + one.odds)
    sum.points += one.points
    sum.expected += p
    sum.variance += p * (1 - p)
    for (let j = 0; j < i; j++) {
      const { odds } = duels[j]!
      sum.variance += 2 * (1 / (1 + one.odds + odds) - p / (1 + odds))
    }
  }
  const n = duels.length
  return { points: sum.points / n, expected: sum.expected / n, variance: sum.variance / n ** 2 }
}

/** Nothing where the owner has too few matches without the companion. */
const comparedWith = (total: Total, { all, companion, matches, others, owner }: Sums) => {
  const without = total.matches - matches
  if (without < JUDGED_MATCHES_MIN) return []
  const usual = (total.points - all.points - (total.expected - all.expected)) / without
  const share = Math.max(SHARE_MIN, Math.min(1 - SHARE_MIN, others.expected / matches + usual))
  const variance = others.variance / matches + (matches * (total.variance - all.variance)) / without ** 2
  const expected_points = share * matches
  const z = (others.points - expected_points) / Math.sqrt(matches * variance)
  // So many comparisons with one seat would vary as much as the mean of these scores.
  const comparisons = Math.max(1, Math.floor((matches * share * (1 - share)) / variance))
  const better = z < 0 ? 1 - others.points / matches : others.points / matches
  const logarithm = logTail(comparisons, Math.floor(comparisons * better), z < 0 ? 1 - share : share)
  return [{ owner, companion, matches, points: others.points, expected_points, z, logarithm }]
}
/** Nobody is expected to win or lose for certain. */
const SHARE_MIN = 0.01
