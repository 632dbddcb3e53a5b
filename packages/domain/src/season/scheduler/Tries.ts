/** Failed attempts at a match. The record of an entry whose matches keep failing is `Streak` (Version.ts). */
import { LEASE_AGAIN_MS, OPINION_MS } from "../Lease.ts"
import type { FaultReason } from "../Reasons.ts"

/** A failed attempt at a match: its lease, its key, and the version that is blamed. */
export interface Try {
  readonly n: number
  readonly key: string
  readonly at: number
  readonly reason: Failure | typeof STRUCK_OUT
  readonly version: string | null
  readonly runner?: string // of a result that is to be confirmed
  readonly replay?: string | null // its hash
}

/** A trial match that its candidate failed is played again by another key (StruckOut.ts). */
export const STRUCK_OUT = "struck_out"

/** Until when its key leaves the match to others. */
export const leftUntil = ({ at, reason }: Pick<Try, "at" | "reason">): number => at + (reason === STRUCK_OUT ? OPINION_MS : LEASE_AGAIN_MS)

/** Why nobody could play it. */
export type Failure = Exclude<FaultReason, "replay_mismatch">
