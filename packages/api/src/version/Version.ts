/** A version of a model as it is read (docs/contract.md#versions). */
import { WAIT_REASONS } from "@agon/domain/season/waiting/Forecast.ts"
import { Schema } from "effect"
import { byLadder, Id, Instant, Ladder } from "../Wire.ts"
import { RejectReason } from "./RejectReason.ts"

export const Status = Schema.Literals(["testing", "entered", "rejected", "superseded", "disabled", "disqualified"])
export type Status = typeof Status.Type
/** Where a candidate stands; `suspended` is an entry that is not paired because its matches kept failing. */
export const Phase = Schema.Literals(["upload", "review", "trial", "suspended"])
export type Phase = typeof Phase.Type

/** A version's rating on one ladder; `rank` is null once it is out of contention. */
const LadderRating = Schema.Struct({
  rating: Schema.Finite,
  deviation: Schema.Finite,
  provisional: Schema.Boolean,
  matches: Schema.Int,
  rank: Schema.NullOr(Schema.Int)
})

export const Trial = Schema.Struct({
  matches: Schema.Int,
  played: Schema.Int,
  failed: Schema.Int,
  match_ids: Schema.Array(Id)
})
export type Trial = typeof Trial.Type

export const Version = Schema.Struct({
  version_id: Id,
  model_id: Id,
  model: Schema.String,
  /** Null for a baseline. */
  owner: Schema.NullOr(Schema.String),
  game: Schema.String,
  season: Schema.String,
  version: Schema.Int,
  status: Status,
  phase: Schema.NullOr(Phase),
  admit_attempt: Schema.Int,
  successor: Schema.NullOr(Schema.Int),
  reject_reason: Schema.NullOr(RejectReason),
  note: Schema.NullOr(Schema.String),
  baseline: Schema.Boolean,
  weights_hash: Schema.String,
  manifest_hash: Schema.String,
  class: Schema.NullOr(Ladder),
  class_max_bytes: Schema.NullOr(Schema.Int),
  class_memory_flat_bytes: Schema.NullOr(Schema.Int),
  class_memory_cell_bytes: Schema.NullOr(Schema.Int),
  size_bytes: Schema.NullOr(Schema.Int),
  memory_bytes: Schema.NullOr(Schema.Int),
  param_count: Schema.NullOr(Schema.Int),
  infer_us: Schema.NullOr(Schema.Int),
  runtime_version: Schema.NullOr(Schema.String),
  trial: Schema.NullOr(Trial),
  ratings: byLadder(LadderRating),
  created_at: Instant,
  last_played_at: Schema.NullOr(Instant)
}).annotate({ identifier: "Version" })
export type Version = typeof Version.Type

/** Seconds from now, the earliest and the latest. */
export const Eta = Schema.Array(Schema.Int).check(Schema.isBetweenLength(2, 2))

/** `ahead`: reviews or trial matches that come first. */
export const Waiting = Schema.Struct({ reason: Schema.Literals(WAIT_REASONS), ahead: Schema.Int, eta_s: Schema.NullOr(Eta) }).annotate({
  identifier: "Waiting"
})
export type Waiting = typeof Waiting.Type

/**
 * For its owner: also the sentence that says how to fix a rejection, or why it was
 * disqualified, and what it waits for.
 */
export const OwnVersion = Schema.Struct({
  ...Version.fields,
  reject_detail: Schema.NullOr(Schema.String),
  waiting: Schema.NullOr(Waiting),
  /** Of an entry in play. */
  next_match_eta_s: Schema.NullOr(Eta)
}).annotate({ identifier: "OwnVersion" })
export type OwnVersion = typeof OwnVersion.Type

/** For the administrators of its season: also why it is out of play, by their decision, with its owner, or both. */
export const AdministeredVersion = Schema.Struct({
  ...OwnVersion.fields,
  disqualified: Schema.Boolean,
  owner_removed: Schema.Boolean
}).annotate({ identifier: "AdministeredVersion" })
export type AdministeredVersion = typeof AdministeredVersion.Type
