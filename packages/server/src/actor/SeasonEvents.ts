/**
 * What a season tells the rest of the service, after the commit and before the replies: whoever writes and then reads
 * sees the change, because caches are purged by then. Telling must be quick, since the season waits for it.
 *
 * Events can be lost: a process may die between the commit and the telling, or a commit may be reported as failed and
 * stand all the same. Hence `claimed`, told whenever an actor has read the rows anew, before it takes a command: anything
 * may have changed since the last event, so purge whatever belongs to the season and wake whoever waits for its work.
 */

import type { Event } from "@agon/domain/season/Event.ts"
import type { Ladder } from "@agon/domain/season/Rules.ts"
import { Context, Effect, Layer } from "effect"

export interface SeasonName {
  readonly id: string
  readonly game: string
  readonly slug: string
}

/**
 * What happened in the season, and, where ratings were written later than they changed (`WaitingRatings`), which: a season
 * that plays more than 500 matches a second shows its ladders up to 10 s late.
 */
export type Told =
  | Event
  | {
      readonly _tag: "RatingsWritten"
      readonly ladders: ReadonlyArray<Ladder>
      readonly versions: ReadonlyArray<string>
      readonly models: ReadonlyArray<string>
    }

export class SeasonEvents extends Context.Service<
  SeasonEvents,
  {
    readonly publish: (season: SeasonName, events: ReadonlyArray<Told>) => Effect.Effect<void>
    readonly claimed: (season: SeasonName) => Effect.Effect<void>
  }
>()("server/season/SeasonEvents") {
  /** Nobody listens. */
  static readonly layerSilent = Layer.succeed(SeasonEvents, SeasonEvents.of({ publish: () => Effect.void, claimed: () => Effect.void }))
}
