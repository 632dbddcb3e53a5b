/** A match as it is read (docs/contract.md#fields-of-a-match). */
import { Schema } from "effect"
import { byLadder, Id, Instant, Ladder } from "../Wire.ts"

/** The states of a match for readers; a match being played reads `queued`. */
export const MatchStatus = Schema.Literals(["queued", "finished", "rated", "cancelled", "failed"])
export type MatchStatus = typeof MatchStatus.Type

export const Outcome = Schema.Literals(["win", "draw", "loss"])
export type Outcome = typeof Outcome.Type

export const WithdrawnReason = Schema.Literals([
  "superseded",
  "baseline_disabled",
  "board_disabled",
  "season_closed",
  "round_reset",
  "suspended",
  "disqualified",
  "owner_removed"
])
export const FaultReason = Schema.Literals(["runner_lost", "engine_fault", "replay_mismatch", "weights_unavailable"])

const seat = {
  seat: Schema.Int,
  model_id: Id,
  version_id: Id,
  model: Schema.String,
  owner: Schema.NullOr(Schema.String),
  rank: Schema.NullOr(Schema.Int),
  score: Schema.NullOr(Schema.Int)
}

export const CardSeat = Schema.Struct(seat)
export type CardSeat = typeof CardSeat.Type

/** `rating_change` names every ladder that the match moved; null until it is rated. */
export const Seat = Schema.Struct({
  ...seat,
  version: Schema.Int,
  class: Ladder,
  strikes: Schema.NullOr(Schema.Int),
  outcome: Schema.NullOr(Outcome),
  rating_change: Schema.NullOr(byLadder(Schema.Finite))
})
export type Seat = typeof Seat.Type

const card = {
  id: Id,
  game: Schema.String,
  season: Schema.String,
  /** The ladder that the match was made for; null for a trial. */
  ladder: Schema.NullOr(Ladder),
  map: Schema.String,
  is_trial: Schema.Boolean,
  status: MatchStatus,
  turns: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  played_at: Schema.NullOr(Instant),
  comments: Schema.Int
}

export const MatchCard = Schema.Struct({ ...card, seats: Schema.Array(CardSeat) }).annotate({ identifier: "MatchCard" })
export type MatchCard = typeof MatchCard.Type

const detail = {
  ...card,
  engine_digest: Schema.String,
  runtime_version: Schema.NullOr(Schema.String),
  seed: Schema.Int,
  played_ms: Schema.NullOr(Schema.Int),
  withdrawn_reason: Schema.NullOr(WithdrawnReason),
  /** The version number that superseded the seat's version. */
  successor: Schema.NullOr(Schema.Int),
  fault_reason: Schema.NullOr(FaultReason),
  /** Signed, valid for an hour; absent where there is no replay. */
  replay_url: Schema.optionalKey(Schema.String),
  /** When the replay was removed for its age; absent where it was not. */
  replay_removed_at: Schema.optionalKey(Instant)
}

export const MatchDetail = Schema.Struct({ ...detail, seats: Schema.Array(Seat) }).annotate({ identifier: "MatchDetail" })
export type MatchDetail = typeof MatchDetail.Type

/** A match of the caller in any state; `mine` marks the caller's seats. */
export const OwnMatch = Schema.Struct({
  ...detail,
  created_at: Instant,
  seats: Schema.Array(Schema.Struct({ ...Seat.fields, mine: Schema.Boolean }))
}).annotate({ identifier: "OwnMatch" })
export type OwnMatch = typeof OwnMatch.Type

/** The last state; `view` is the engine's picture of it, null where this build cannot compute it. */
export const Frame = Schema.Struct({
  match: Id,
  turn: Schema.Int,
  seats: Schema.Array(
    Schema.Struct({
      seat: Schema.Int,
      model: Schema.String,
      owner: Schema.NullOr(Schema.String),
      score: Schema.Int,
      rank: Schema.Int
    })
  ),
  view: Schema.NullOr(Schema.Json)
}).annotate({ identifier: "Frame" })
export type Frame = typeof Frame.Type
