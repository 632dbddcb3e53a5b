/**
 * What a re-rating reads: the matches of a round from the one that is voided on, and where its ladders stood before it.
 * The machine forgets what has ended, so its actor reads the log from the rows before it obeys `VoidMatch`.
 */
import type { Rating } from "../rating/Rating.ts"
import type { Ending, FaultReason } from "./Reasons.ts"
import type { Ladder } from "./Rules.ts"
import type { Seat, Seed, SeriesPoint, Standing } from "./State.ts"

/** A log that is longer than this is not read: at most so many matches may have been rated since the one that is voided. */
export const LOG_MATCHES_MAX = 20_000
/** Means in points of the series, each of which is read and written again. */
export const LOG_MEANS_MAX = 500_000
/**
 * With so many seats. A season stands still while its log is read (5 s at most), obeyed and committed (10 s at most). In one
 * of 100,000 matches and 1,000 entries, on two cores with a load of 9 and of 11: 0.1 s with 50 matches rated since, 0.2 to
 * 0.6 s with 1,000, 2 to 4.6 s and 32,000 seats with 19,900; the heap grew by 90 MB (test/integration/season.void.long.test.ts).
 */
export const LOG_SEATS_MAX = 50_000

export interface LoggedMatch {
  readonly id: string
  readonly rated_n: number
  readonly ladder: Ladder
  readonly round: number
  readonly seats: ReadonlyArray<Seat>
}

export interface VoidedMatch extends Omit<LoggedMatch, "rated_n" | "ladder"> {
  readonly ladder: Ladder | null
  readonly candidate: string | null
  readonly ending: Ending
  readonly rated_n: number | null
  readonly fault_reason: FaultReason | null
}

/** Where a version stood on a ladder before the voided match, after the last match of the round that had moved it. */
export interface Before extends Rating {
  readonly ladder: Ladder
  readonly version: string
  readonly change: number
}

/** What last moved a version on a ladder, in whatever round: newest first, one more than a history keeps. */
export interface Tail {
  readonly ladder: Ladder
  readonly version: string
  readonly seed: Pick<Seed, "mu" | "round"> | null // where it took its rating over
  readonly matches: ReadonlyArray<{ readonly rated_n: number; readonly round: number; readonly mu: number }>
}

export interface Log {
  readonly match: VoidedMatch | null // null: there is none of this id
  readonly later: ReadonlyArray<LoggedMatch> // of its round, in the order of rating; one more than the limit where there are more
  readonly before: ReadonlyArray<Before>
  readonly seeds: ReadonlyArray<Seed> // of its round, in the order in which they were taken over
  /** Standings out of play of whoever these matches and seeds name; the machine may have let go of them. */
  readonly standings: ReadonlyArray<Omit<Standing, "key" | "busy">>
  /** Of the ladders that the match moved, taken in its round after it; of all, where it was the first. */
  readonly points: ReadonlyArray<SeriesPoint>
  /** Of whoever sat in the match; where its round is over, of all that these matches and seeds name. */
  readonly tails: ReadonlyArray<Tail>
  readonly over: boolean // by the rows, its round is over
  readonly first: boolean // nothing that was rated before it counts
}

export const EMPTY_LOG: Log = {
  match: null,
  later: [],
  before: [],
  seeds: [],
  standings: [],
  points: [],
  tails: [],
  over: false,
  first: false
}
