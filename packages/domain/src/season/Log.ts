/**
 * What the machine reads of what has ended. It forgets a match with the commit that ends it, so its actor reads the rows
 * that a command is about just before it obeys it, and the log of matches is read in pages beside the season (`rating/Fold.ts`).
 */
import type { Ending } from "./Reasons.ts"
import type { Ladder } from "./Rules.ts"
import type { Seat, InheritedRating, SeriesPoint, LadderRatingRow } from "./rating/LadderRating.ts"

export interface LoggedMatch {
  readonly id: string
  readonly rated_n: number
  readonly ladder: Ladder
  readonly round: number
  readonly seats: ReadonlyArray<Seat>
}

/** Matches that count, in the order of rating, with what was taken over and drawn before the last of them. */
export interface LogPage {
  readonly matches: ReadonlyArray<LoggedMatch>
  readonly seeds: ReadonlyArray<InheritedRating>
  readonly points: ReadonlyArray<SeriesPoint>
}

/** Where a page begins: behind the match of the number `after`, which is 0 or one that counts; nothing before `round` is of it. */
export interface LogPlace {
  readonly round: number
  readonly after: number
}

/** A standing out of play that the machine may have let go of. */
export type LeftRating = LadderRatingRow

/** A match that is to be voided, as its rows have it. */
export interface EndedMatch {
  readonly id: string
  readonly ladder: Ladder | null
  readonly candidate: string | null
  readonly round: number
  readonly ending: Ending
  readonly rated_n: number | null
  readonly seats: ReadonlyArray<Pick<Seat, "version" | "strikes">>
  /** Of whoever sat in it and is out of play. */
  readonly left: ReadonlyArray<LeftRating>
}

/** What moved a version on a ladder before a fold began: the last matches, as many as a history keeps, and its seed. */
export interface Earlier {
  readonly ladder: Ladder
  readonly version: string
  readonly seed: Pick<InheritedRating, "mu" | "round"> | null
  readonly means: ReadonlyArray<Mean>
}
export interface Mean {
  readonly n: number // of rating
  readonly round: number
  readonly mu: number
}
