/** Versions as a season keeps them, and the reviews that wait for a runner. */
import type { Judgement } from "./entry/Verdict.ts"
import type { Leased } from "./Lease.ts"
import type { Phase, RejectReason, Status } from "./Reasons.ts"
import type { Ladder } from "./Rules.ts"

/** A version as the season knows it: held until it is rejected, or is superseded and has no seat in an open match. */
export interface Version {
  readonly id: string
  readonly ord: number // running number in the season, from 1: small, for opponents and hashes
  readonly model: string
  readonly owner: string | null // null: a baseline
  readonly number: number
  readonly weights_hash: string
  readonly manifest_hash: string
  readonly created_at: number
  status: Status
  phase: Phase | null
  upload_until: number | null
  weights_bytes: number | null
  manifest_bytes: number | null
  class: Ladder | null
  admit_attempt: number // leases of its review so far
  admit_failures: number
  admit_key: string | null // the key that answered the last attempt, which may repeat its answer
  param_count: number | null
  infer_us: number | null
  memory_flat: number | null
  memory_cell: number | null
  memory_bytes: number | null
  runtime_version: string | null
  reject_reason: RejectReason | null
  reject_detail: string | null // why it was rejected or is disqualified
  successor: number | null
  trial_played: number // trial matches that ended well or badly for the candidate
  trial_failed: number // those of them with the candidate at the strike limit
  trial_void: number // trial matches that failed through no fault of a seat
  disqualified: boolean // by an administrator
  owner_removed: boolean // its owner is off the roster or suspended; a candidate does not enter then
  streak: Streak | null // failed matches that may be its own fault, with no match of it played since
}

/**
 * The owner of a version, for the rules that keep owners apart. A baseline is its own owner, and so is a
 * version that has left the state.
 */
export const ownerOf = ({ versions_by_id }: { readonly versions_by_id: ReadonlyMap<string, Version> }, id: string): string =>
  versions_by_id.get(id)?.owner ?? id

/** Consecutive failed matches of one entry: the versions in all of them, and how many each key failed (Faults.ts). */
export interface Streak {
  readonly n: number // 0 where the engine could not play them, which blames nobody
  readonly versions: ReadonlyArray<string>
  readonly owners: ReadonlyArray<string> // a baseline is its own owner
  readonly keys: ReadonlyArray<{ readonly key: string; readonly n: number }>
  readonly played: number // the season's `played` when the last of them failed
}

/** A review that waits for a runner or is leased to one. The verdict deletes it. */
export interface Review extends Leased {
  readonly version: string
  opinions: ReadonlyArray<Opinion> // one of a key, oldest first: none until a refusal is to be confirmed (entry/SecondOpinion.ts)
}

/** How a key judged the model, while another is asked. */
export interface Opinion {
  readonly key: string
  readonly runner: string
  readonly at: number
  readonly verdict: Judgement
}
