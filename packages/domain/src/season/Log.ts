/**
 * The rows of ended matches, as the machine needs them. It forgets a match with the commit that ends it, so
 * its actor reads the rows that a command needs just before executing it. The whole log is read in pages
 * beside the season (`rating/Fold.ts`).
 */
import type { Ending } from "./Reasons.ts"
import type { Ladder } from "./Rules.ts"
import type { InheritedRating, LadderRatingRow, Seat, SeriesPoint } from "./rating/LadderRating.ts"
import type { Version } from "./Version.ts"

export interface LoggedMatch {
  readonly id: string
  readonly rated_n: number
  readonly ladder: Ladder
  readonly round: number
  readonly seats: ReadonlyArray<Seat>
}

/** Matches that count, in the order of rating, with the inherited ratings and series points up to the last of them. */
export interface LogPage {
  readonly matches: ReadonlyArray<LoggedMatch>
  readonly seeds: ReadonlyArray<InheritedRating>
  readonly points: ReadonlyArray<SeriesPoint>
}

/** A page begins after match number `after`, which is 0 or a match that counts, and has nothing from before `round`. */
export interface LogPlace {
  readonly round: number
  readonly after: number
}

/** A rating out of play that the machine may no longer hold. */
export type LeftRating = LadderRatingRow

/** The rows of a match that is to be voided. */
export interface EndedMatch {
  readonly id: string
  readonly ladder: Ladder | null
  readonly candidate: string | null
  readonly round: number
  readonly ending: Ending
  readonly rated_n: number | null
  readonly seats: ReadonlyArray<Pick<Seat, "version" | "strikes">>
  /** The ratings of versions that sat in it and are out of play. */
  readonly left: ReadonlyArray<LeftRating>
  /** The candidate whose trial it was, where that has failed. */
  readonly rejected: Version | null
}

/** A version's last matches on a ladder before a fold began, as many as a history keeps, and its seed. */
export interface Earlier {
  readonly ladder: Ladder
  readonly version: string
  readonly seed: Pick<InheritedRating, "mu" | "round"> | null
  readonly means: ReadonlyArray<Mean>
}
export interface Mean {
  readonly n: number // rating number
  readonly round: number
  readonly mu: number
}
