/** The public fields of match and seat rows (docs/contract.md#fields-of-a-match). */
import type { Outcome, Seat } from "@agon/api/match/Match.ts"
import { twoDecimals } from "../rating/shown.ts"
import type { MatchRow, SeatRow } from "./queries.ts"

/** A match without its seats and without internal columns. */
export const detailOf = (row: MatchRow) => {
  const { created_at: _, replay_by_match: __, replay_bytes: ___, replay_hash: ____, replay_inline: _____, ...match } = row
  const { replay_removed_at: ______, season_id: _______, seats: ________, ...detail } = match
  return detail
}

export const seatOf = (match: MatchRow, row: SeatRow): Seat => {
  const { made_change: _, open_change: __, owner_id: ___, ...seat } = row
  return { ...seat, outcome: outcomeOf(match, row), rating_change: changeOf(match, row) }
}

/** A win alone at the top, a draw together at the top, a loss otherwise. */
export const outcomeOf = (
  { seats }: { readonly seats: ReadonlyArray<Pick<SeatRow, "rank">> },
  { rank }: Pick<SeatRow, "rank">
): Outcome | null => {
  if (rank === null) return null
  if (rank > 1) return "loss"
  return seats.filter((other) => other.rank === 1).length > 1 ? "draw" : "win"
}

/** The rating change on each ladder that the match moved: the one it was made for, and open. */
export const changeOf = (
  { ladder, status }: Pick<MatchRow, "ladder" | "status">,
  { made_change, open_change }: Pick<SeatRow, "made_change" | "open_change">
): Seat["rating_change"] => {
  if (status !== "rated" || ladder === null || made_change === null) return null
  const made = { [ladder]: twoDecimals(made_change) }
  return open_change === null ? made : { ...made, open: twoDecimals(open_change) }
}
