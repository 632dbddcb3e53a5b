/** What a void writes, and what a fold of the log without it does (`Voiding.ts`, `Fold.ts`). */
import type { Rating } from "../../rating/Rating.ts"
import type { Ladder } from "../Rules.ts"

/** A match that was voided: its row and seats lose what they counted. */
export interface Voided {
  readonly id: string
  readonly detail: string
}

/** A seat that a fold of the log has rated otherwise; all those of a match are written together. */
export interface SeatChange {
  readonly match: string
  readonly seat: number
  readonly rank: number
  readonly made: Change
  readonly open: Change | null
}

/** A match that was voided and that ratings still have: the log is to be folded again without it (`Voiding.ts`). */
export interface Voiding {
  readonly match: string
  readonly n: number // its number of rating
  readonly round: number
  readonly ladder: Ladder
  readonly versions: ReadonlyArray<string>
}

interface Change extends Readonly<Rating> {
  readonly change: number
}
