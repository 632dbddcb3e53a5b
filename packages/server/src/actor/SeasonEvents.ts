/**
 * The events that a season publishes to the rest of the service, after the commit and before the replies: a
 * client that writes and then reads sees the change, because caches are purged by then. Listeners must be
 * quick, since the season waits for them.
 *
 * Events can be lost: a process may die between the commit and the publishing, or a commit may be reported as
 * failed and stand all the same. Hence `claimed`, published whenever an actor has read the rows anew, before
 * it takes a command: anything may have changed since the last event, so purge every cached answer of the
 * season and wake every runner that waits for its work.
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
 * An event of the season, or the ratings whose rows were written later than they changed (`WaitingRatings`): a season
 * that plays more than 500 matches a second shows its ladders up to 10 s late.
 */
export type PublishedEvent =
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
    readonly publish: (season: SeasonName, events: ReadonlyArray<PublishedEvent>) => Effect.Effect<void>
    readonly claimed: (season: SeasonName) => Effect.Effect<void>
  }
>()("agon/SeasonEvents") {
  /** Without listeners. */
  static readonly layerSilent = Layer.succeed(SeasonEvents, SeasonEvents.of({ publish: () => Effect.void, claimed: () => Effect.void }))
}
