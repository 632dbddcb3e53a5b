/** Events, published after the commit: they purge caches, wake waiting runners and notify people. */
import type { RejectReason } from "./Reasons.ts"
import type { Ladder } from "./Rules.ts"

export type VersionChange =
  | "submitted"
  | "review"
  | "admitted"
  | "entered"
  | "rejected"
  | "superseded"
  | "disabled"
  | "suspended"
  | "disqualified"
  | "reinstated"

export type Event =
  | {
      readonly _tag: "MatchRated"
      readonly match: string
      readonly ladders: ReadonlyArray<Ladder>
      readonly versions: ReadonlyArray<string>
      readonly models: ReadonlyArray<string>
    }
  /** A match ended without changing a rating: cancelled, failed, a trial, or from a round that is over. */
  | {
      readonly _tag: "MatchEnded"
      readonly match: string
      readonly versions: ReadonlyArray<string>
      readonly models: ReadonlyArray<string>
    }
  /** The match no longer counts, and once more when ratings were computed without it: anything in the season may have changed. */
  | { readonly _tag: "MatchVoided"; readonly match: string; readonly versions: ReadonlyArray<string> }
  /** Ratings were computed again with other starts: any of the season may have changed. */
  | { readonly _tag: "RatingsRescaled" }
  /** A version's row changed its status or phase. */
  | {
      readonly _tag: "VersionMoved"
      readonly version: string
      readonly model: string
      readonly owner: string | null
      readonly change: VersionChange
      readonly reject_reason: RejectReason | null
    }
  | { readonly _tag: "BoardChanged"; readonly board: string }
  | { readonly _tag: "RoundStarted"; readonly n: number }
  /** Rounds planned, settings edited, the season closing or closed. */
  | { readonly _tag: "SeasonChanged" }
  | { readonly _tag: "SeasonClosed" }
  /** There may now be work for a runner that was told there was none. */
  | { readonly _tag: "WorkAppeared" }
