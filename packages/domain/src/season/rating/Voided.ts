/** Rows written by a void, and by a fold of the log without the voided match (`scheduler/Voiding.ts`, `Fold.ts`). */
import type { Ladder } from "../Rules.ts"
import type { RatingChange } from "./LadderRating.ts"

/** A voided match: its row and seats no longer count. */
export interface Voided {
  readonly id: string
  readonly detail: string
}

/** A seat that a fold of the log rated differently. All seats of a match are written together. */
export interface SeatChange {
  readonly match: string
  readonly seat: number
  readonly rank: number
  readonly made: RatingChange
  readonly open: RatingChange | null
}

/** A voided match that ratings still include: the log is to be folded again without it (`scheduler/Voiding.ts`). */
export interface Voiding {
  readonly match: string
  readonly n: number // its rating number
  readonly round: number
  readonly ladder: Ladder
  readonly versions: ReadonlyArray<string>
}
