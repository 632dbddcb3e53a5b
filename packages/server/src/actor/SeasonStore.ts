/**
 * A season's rows, written by one actor at a time.
 *
 * `claim` takes the season: it raises `epoch` and reads every row in the same transaction. Its UPDATE waits for
 * a commit of the previous incarnation that is still running in the database, so the rows it reads are final.
 * `commit` writes a batch in one statement under the fence (epoch, seq): where another actor has claimed the
 * season since, nothing is written and it fails with `Fenced`. Any other failure may or may not have been
 * written: the caller throws its state away and claims again.
 */

import type { Receipt } from "@agon/domain/season/Command.ts"
import type { Earlier, EndedMatch, LeftRating, LogPage, LogPlace } from "@agon/domain/season/Log.ts"
import type { Ladder } from "@agon/domain/season/Rules.ts"
import type { Changes } from "@agon/domain/season/rating/Fold.ts"
import type { Snapshot, State } from "@agon/domain/season/State.ts"
import { Context, type Effect, Schema } from "effect"
import type { SeasonClosed } from "./Mailbox.ts"
import type { SeasonName } from "./SeasonEvents.ts"
import type { WaitingRatings } from "./WaitingRatings.ts"

/** Another actor owns the season now: stop, write nothing. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { season: Schema.String }) {}
/** The database refused or was not reached; whether it wrote is unknown. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", { season: Schema.String, cause: Schema.Defect() }) {}

export interface Fence {
  readonly season: string
  readonly epoch: number
  readonly seq: number // of the last commit
  readonly at: number // the store's own clock at that commit, or at the claim, ms
  readonly waiting: WaitingRatings // of this incarnation; once its `due` is past, a commit is made even if nothing changed
}
export interface Claimed {
  readonly name: SeasonName
  readonly fence: Fence
  readonly snapshot: Snapshot
}

/**
 * Ended matches, as their rows are after the last commit. `rewrite` changes them, under the epoch of its actor, and so
 * does a commit that voids a match or installs a fold.
 */
export interface SeasonLog {
  readonly ended: (season: string, matches: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<EndedMatch>, StoreFailed>
  /** The place in the log where a round begins. */
  readonly place: (season: string, round: number) => Effect.Effect<LogPlace, StoreFailed>
  /**
   * Up to `limit` matches, with the seeds and points that came before the last of them; with `end`,
   * all later seeds and points too.
   */
  readonly page: (season: string, place: LogPlace, limit: number, end: boolean) => Effect.Effect<LogPage, StoreFailed>
  /** `put_back`: how often the season's time was, since when its matches do not end in the order of their numbers. */
  readonly earlier: (
    season: string,
    ladder: Ladder,
    versions: ReadonlyArray<string>,
    after: number,
    put_back: number
  ) => Effect.Effect<ReadonlyArray<Earlier>, StoreFailed>
  readonly left: (season: string, versions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LeftRating>, StoreFailed>
  readonly rewrite: (fence: Pick<Fence, "season" | "epoch">, changes: Changes) => Effect.Effect<void, Fenced | StoreFailed>
}

export class SeasonStore extends Context.Service<
  SeasonStore,
  {
    readonly claim: (season: string) => Effect.Effect<Claimed, SeasonClosed | StoreFailed>
    /** Writes the changes that `state.writes` names; answers the fence of the next commit. */
    readonly commit: (fence: Fence, state: State) => Effect.Effect<Fence, Fenced | StoreFailed>
    /**
     * The answer to a result whose work is no longer open, from the rows; for results that
     * the machine calls `unknown`.
     */
    readonly answerOf: (season: string, lease: string, key: string) => Effect.Effect<Receipt, StoreFailed>
    readonly log: SeasonLog
    /** Those of these accounts that may not take part in the season any more. */
    readonly removed: (season: string, accounts: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StoreFailed>
    /** Those of these ids, of versions and of rows of the administrative log, that there are. */
    readonly written: (season: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StoreFailed>
    /** Ids of the seasons that need an actor. */
    readonly open: Effect.Effect<ReadonlyArray<string>, StoreFailed>
  }
>()("agon/SeasonStore") {}
