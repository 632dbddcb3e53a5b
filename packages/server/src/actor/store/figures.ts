/**
 * The columns that lists of matches sort and filter by (docs/contract.md#lists-of-matches), computed from the
 * seats when a match is written, on the match and on each seat. Migration 0004 computes the same in SQL for the matches written before it.
 */
import { LADDERS, type Ladder } from "@agon/domain/season/Rules.ts"
import type { RatingChange, Seat } from "@agon/domain/season/rating/LadderRating.ts"

/**
 * Minus the share of the first's score by which the second is behind; null where there is
 * no result or the score is 0.
 */
const closenessOf = (seats: ReadonlyArray<Pick<Seat, "rank" | "score">>): number | null => {
  let [first, second]: Array<Pick<Seat, "rank" | "score">> = []
  for (const seat of seats) {
    if (first === undefined || isBefore(seat, first)) {
      second = first
      first = seat
    } else if (second === undefined || isBefore(seat, second)) second = seat
  }
  if (first === undefined || second === undefined || first.rank === 0) return null
  if (first.score === second.score) return 0
  return first.score === 0 ? null : -Math.abs(first.score - second.score) / Math.abs(first.score)
}

const isBefore = (a: Pick<Seat, "rank" | "score">, b: Pick<Seat, "rank" | "score">): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.score > b.score)

/**
 * The largest amount by which a seat was rated above one that finished before it; null where
 * the match counts in no rating.
 */
export const upsetOf = (seats: ReadonlyArray<{ readonly rank: number; readonly made: RatingChange | null }>): number | null => {
  let most: number | null = null
  for (const winner of seats) {
    for (const loser of seats) {
      if (winner.made === null || loser.made === null || winner.rank >= loser.rank) continue
      const gap = before(loser.made) - before(winner.made)
      if (most === null || gap > most) most = gap
    }
  }
  return most
}

const before = ({ change, mu }: RatingChange): number => mu - change

/** Whether several seats finished first. */
const isShared = (seats: ReadonlyArray<Pick<Seat, "rank">>): boolean => {
  let firsts = 0
  for (const { rank } of seats) if (rank === 1) firsts++
  return firsts > 1
}

/** The figures that a match and each of its seats have, of all of its seats. */
export interface Figures {
  readonly closeness: number | null
  readonly upset: number | null
  readonly shared: boolean
}

export const figuresOf = (seats: ReadonlyArray<Seat>): Figures => ({
  closeness: closenessOf(seats),
  upset: upsetOf(seats),
  shared: isShared(seats)
})

/** A class as one bit. */
export const classBit = (name: Ladder): number => 1 << LADDERS.indexOf(name)

/** The bit of a seated version's weight class; none for a version that has left the season. */
export const bitOf = (name: Ladder | null | undefined): number => (name == null ? 0 : classBit(name))

export const bestPlaceOf = (seats: ReadonlyArray<Pick<Seat, "place">>): number | null => {
  let best: number | null = null
  for (const { place } of seats) if (place !== null && (best === null || place < best)) best = place
  return best
}
