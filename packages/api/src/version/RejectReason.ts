/** Why a version was not admitted (docs/contract.md#reject-reasons). */
import type { RejectReason as Known } from "@agon/domain/season/Reasons.ts"
import { Schema } from "effect"

/** Reasons that a runner may find in the files themselves. */
export const foundByRunner = [
  "hash_mismatch",
  "weights_unreadable",
  "manifest_invalid",
  "unsupported_operator",
  "external_data",
  "wrong_signature",
  "too_large",
  "memory_over_class",
  "too_slow",
  "not_deterministic",
  "resource_limit"
] as const satisfies ReadonlyArray<Known>

export const RunnerRejectReason = Schema.Literals(foundByRunner)

export const RejectReason = Schema.Literals([
  ...foundByRunner,
  "upload_expired",
  "trial_failed",
  "admission_unavailable",
  "season_closed"
]).annotate({ identifier: "RejectReason" })
export type RejectReason = typeof RejectReason.Type
