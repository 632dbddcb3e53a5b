/** The rating engine's rows: ratings, the changes by each match, and the points of the series. */
import type { Rating } from "../../rating/Rating.ts"
import { LADDERS, type Ladder } from "../Rules.ts"

/** A version's place on one ladder: its rating row. */
export interface LadderRating extends Rating {
  readonly version: string
  readonly ord: number
  readonly ladder: Ladder
  active: boolean // in play; false once superseded or switched off
  round: number // the last round whose reset it has seen; in the state the current one, unless it was let go of
  matches: number // counted, all rounds
  round_matches: number // counted since the last reset
  ladder_games: number // counted matches made for this ladder, all rounds: part of the heap key
  virtual_games: number // continuous play: weighted matches; in a round: matches made for this ladder in it
  failed: number // turns beside its virtual games since the last reset: of failed matches, and those at which it came in during a round
  forfeits: number // consecutive: reset by a match without one
  seat_sum: number // leaning of the seats it was given, -1/2 (first) to 1/2 (last) each
  trend: number | null
  met: Array<number> // ords of the last twelve opponents, newest last
  history: Array<number> // last twelve means, the seed included, oldest first
  key: number // place in the heap, derived
  busy: boolean // in a prepared or open match of this ladder, derived
  suspended?: boolean // keeps its place, is not paired; derived from its version
}

/** Names a version's rating on one ladder, in maps over several ladders. */
export const ratingName = (ladder: Ladder, version: string): string => `${ladder} ${version}`

/** The same in a map of all ratings of a season, of which there may be 200,000: a number is found sooner, and made without a text. */
export const ratingNumber = ({ ladder, ord }: Pick<LadderRating, "ladder" | "ord">): number =>
  ord * LADDERS.length + LADDERS.indexOf(ladder)

/** The stored columns; the rest is derived. */
export type LadderRatingRow = Omit<LadderRating, "key" | "busy" | "suspended">

/** The effect of a rated match on one seat on one ladder: mean and deviation after it, and the change of the mean. */
export interface RatingChange extends Rating {
  readonly change: number
}

export interface Seat {
  readonly version: string
  readonly rank: number
  readonly score: number
  readonly strikes: number
  readonly place: number | null // in the ladder it was made for, before the match
  readonly made: RatingChange | null // on the ladder it was made for
  readonly open: RatingChange | null // on open, if it was made for another ladder
}

/** The order of a ladder at one moment, best first: the series read draws its lines from these. */
export interface SeriesPoint {
  readonly ladder: Ladder
  readonly at: number
  readonly round: number
  readonly n: number // the last number of rating given
  readonly versions: ReadonlyArray<string>
  readonly mus: ReadonlyArray<number>
}

/** An inherited rating: the one that `version` started from on `ladder`, once `n` matches had been numbered. */
export interface InheritedRating extends Rating {
  readonly ladder: Ladder
  readonly version: string
  readonly ord: number
  readonly round: number
  readonly n: number
  readonly of: string
}
