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

interface Tried {
  readonly live: ReadonlyMap<string, { readonly tries: ReadonlyArray<Try> }>
  readonly now: number
  readonly unexamined: ReadonlyArray<{ readonly at: number }>
  readonly reviews: ReadonlyMap<string, { readonly opinions: ReadonlyArray<{ readonly at: number }> }>
}

/**
 * When a key may next retake a match that it reported unplayable or doubtful, or a review that it failed or judged. Leased
 * work counts too: it may be queued by then.
 */
export const nextAgain = ({ live, now, reviews, unexamined }: Tried): number => {
  let first = Infinity
  for (const { at } of unexamined) if (at + LEASE_AGAIN_MS > now) first = Math.min(first, at + LEASE_AGAIN_MS)
  for (const { opinions } of reviews.values())
    for (const { at } of opinions) if (at + OPINION_MS > now) first = Math.min(first, at + OPINION_MS)
  for (const { tries } of live.values()) {
    for (const each of tries) if (each.reason !== "runner_lost" && leftUntil(each) > now) first = Math.min(first, leftUntil(each))
  }
  return first
}
