/**
 * The columns that lists of matches sort and filter by (docs/contract.md#lists-of-matches), computed from the seats when a match
 * is written. Migration 0004 computes the same in SQL for the matches written before it.
 */
import { LADDERS, type Ladder } from "@agon/domain/season/Rules.ts"
import type { RatingChange, Seat } from "@agon/domain/season/rating/LadderRating.ts"

/** Minus the share of the first's score by which the second is behind; null where there is no result or the score is 0. */
export const closenessOf = (seats: ReadonlyArray<Pick<Seat, "rank" | "score">>): number | null => {
  const [first, second] = seats.toSorted((a, b) => a.rank - b.rank || b.score - a.score)
  if (first === undefined || second === undefined || first.rank === 0) return null
  if (first.score === second.score) return 0
  return first.score === 0 ? null : -Math.abs(first.score - second.score) / Math.abs(first.score)
}

/** The largest amount by which a seat was rated above one that finished before it; null where the match counts in no rating. */
export const upsetOf = (seats: ReadonlyArray<{ readonly rank: number; readonly made: RatingChange | null }>): number | null => {
  const before = ({ change, mu }: RatingChange) => mu - change
  const gaps = seats.flatMap((winner) =>
    seats.flatMap((loser) =>
      winner.made !== null && loser.made !== null && winner.rank < loser.rank ? [before(loser.made) - before(winner.made)] : []
    )
  )
  return gaps.length === 0 ? null : Math.max(...gaps)
}

/** A class as one bit. */
export const classBit = (name: Ladder): number => 1 << LADDERS.indexOf(name)

/** Bits of the weight classes that were seated; none for a version that has left the season. */
export const classesOf = (seated: ReadonlyArray<Ladder | null | undefined>): number =>
  seated.reduce<number>((bits, name) => (name == null ? bits : bits | classBit(name)), 0)

export const bestPlaceOf = (seats: ReadonlyArray<Pick<Seat, "place">>): number | null => {
  const places = seats.flatMap(({ place }) => place ?? [])
  return places.length === 0 ? null : Math.min(...places)
}
