/** Attempts at a match that came to nothing, and what is remembered of an entry whose matches keep failing. */
import type { FaultReason } from "../Reasons.ts"

/** A runner's key that reported a match unplayable is not given it again before this; others are. */
export const LEASE_AGAIN_MS = 30_000

/** An attempt at a match that came to nothing: under which lease, whose, and the version it is put down to. */
export interface Try {
  readonly n: number
  readonly key: string
  readonly at: number
  readonly reason: Exclude<FaultReason, "replay_mismatch">
  readonly version: string | null
}

interface Tried {
  readonly live: ReadonlyMap<string, { readonly tries: ReadonlyArray<Try> }>
  readonly now: number
}

/** When the next match may be taken again by a key that reported it unplayable. One that is being played may be queued by then. */
export const nextAgain = ({ live, now }: Tried): number => {
  let first = Infinity
  for (const { tries } of live.values()) {
    for (const { at, reason } of tries) {
      if (reason !== "runner_lost" && at + LEASE_AGAIN_MS > now) first = Math.min(first, at + LEASE_AGAIN_MS)
    }
  }
  return first
}
