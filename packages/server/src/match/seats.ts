/** The public fields of match and seat rows (docs/contract.md#fields-of-a-match). */
import type { MatchDetail, Outcome, Seat } from "@agon/api/match/Match.ts"
import { twoDecimals } from "../rating/shown.ts"
import type { MatchRow, SeatRow } from "./queries.ts"

/** A match without its seats and its replay: the fields that are public, each named, so that no other column gets out. */
export const detailOf = (row: MatchRow): Omit<MatchDetail, "seats" | "replay_url" | "replay_removed_at"> => ({
  id: row.id,
  game: row.game,
  season: row.season,
  ladder: row.ladder,
  map: row.map,
  is_trial: row.is_trial,
  status: row.status,
  turns: row.turns,
  reason: row.reason,
  played_at: row.played_at,
  comments: row.comments,
  engine_digest: row.engine_digest,
  runtime_version: row.runtime_version,
  seed: row.seed,
  played_ms: row.played_ms,
  withdrawn_reason: row.withdrawn_reason,
  successor: row.successor,
  // A row that was withdrawn keeps the fault of its last attempt, for answering the runner that reported it.
  fault_reason: row.status === "failed" ? row.fault_reason : null
})

export const seatOf = (match: MatchRow, row: SeatRow): Seat => ({
  seat: row.seat,
  model_id: row.model_id,
  version_id: row.version_id,
  model: row.model,
  owner: row.owner,
  rank: row.rank,
  score: row.score,
  version: row.version,
  class: row.class,
  strikes: row.strikes,
  outcome: outcomeOf(match, row),
  rating_change: changeOf(match, row)
})

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
