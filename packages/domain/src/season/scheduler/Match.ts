/** The match scheduler's rows: boards, matches that are queued or being played, and the rows of those that ended. */

import type { Leased } from "../Lease.ts"
import type { Ending, FaultReason, WithdrawnReason } from "../Reasons.ts"
import type { Ladder } from "../Rules.ts"
import type { Seat } from "../rating/LadderRating.ts"
import type { Try } from "./Tries.ts"

export interface Board {
  readonly id: string
  readonly ord: number
  readonly players: number
  readonly rows: number
  readonly cols: number
  enabled: boolean
  used: Array<number> // matches prepared on it, in the order of QUEUES
}

/** A match that is queued (`until` null) or being played. */
export interface OpenMatch extends Leased {
  readonly id: string
  readonly n: number // running number in the season
  readonly ladder: Ladder | null // null: a trial
  readonly candidate: string | null // the version on trial
  readonly round: number
  readonly board: string
  readonly seed: number
  readonly versions: ReadonlyArray<string> // by seat
  readonly created_at: number
  losses: number
  tries: ReadonlyArray<Try> // one for each loss, for a fault reported of a lease that HoldOnly gave back, and for a result that was put aside
}

export interface Ended extends Omit<OpenMatch, "leased_at" | "until" | "losses" | "tries"> {
  readonly ending: Ending
  readonly ended_at: number
  readonly rated_n: number | null // its rating number; null: not counted
  readonly withdrawn_reason: WithdrawnReason | null
  readonly successor: number | null
  readonly fault_reason: FaultReason | null
  readonly fault_detail: string | null
  readonly reason: string | null
  readonly turns: number | null
  readonly played_ms: number | null
  readonly runtime_version: string | null
  readonly state_sha256: string | null
  readonly replay_hash: string | null
  readonly replay_bytes: number | null
  readonly replay_content: string | null // where it is kept with the match
  readonly seats: ReadonlyArray<Seat>
}
