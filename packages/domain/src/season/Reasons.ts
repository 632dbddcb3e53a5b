/**
 * The names of the states and reasons of versions and matches (docs/contract.md#reject-reasons and
 * docs/contract.md#states-of-a-match).
 */

export type RejectReason =
  | "upload_expired"
  | "hash_mismatch"
  | "weights_unreadable"
  | "manifest_invalid"
  | "unsupported_operator"
  | "external_data"
  | "wrong_signature"
  | "too_large"
  | "memory_over_class"
  | "too_slow"
  | "not_deterministic"
  | "resource_limit"
  | "trial_failed"
  | "admission_unavailable"
  | "season_closed"

export type Status = "testing" | "entered" | "rejected" | "superseded" | "disabled" | "disqualified"
/** `suspended` is the phase of an entry; the others are those of a candidate. */
export type Phase = "upload" | "review" | "trial" | "suspended"

export type Ending = "rated" | "finished" | "cancelled" | "failed"
export type WithdrawnReason =
  | "superseded"
  | "baseline_disabled"
  | "board_disabled"
  | "season_closed"
  | "round_reset"
  | "suspended"
  | "disqualified"
  | "owner_removed"
export type FaultReason = "runner_lost" | "engine_fault" | "weights_unavailable" | "replay_mismatch"
