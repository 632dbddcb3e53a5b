/** The feed of the site: published posts and featured stories, each at the place where it first appeared. */

import { cutTo, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import type { Feed } from "@agon/api/writing/Story.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { makeQueries } from "./feedQueries.ts"

export class StoryFeed extends Context.Service<
  StoryFeed,
  {
    /** With the time at which the next post appears by itself. */
    readonly read: (page: PageOf) => Effect.Effect<{ readonly feed: Feed; readonly changes_at: string | null }>
  }
>()("agon/StoryFeed") {
  static readonly layer: Layer.Layer<StoryFeed, never, SqlClient.SqlClient> = Layer.effect(
    StoryFeed,
    Effect.map(makeQueries, (queries) => ({
      read: Effect.fn("StoryFeed.read")(function* (page: PageOf) {
        const now = yield* DateTime.nowAsDate
        const { next_cursor, shown } = cutTo(page, yield* queries.items({ now, ...oneMoreThan(page) }))
        const { changes_at } = yield* queries.nextPost(now)
        const items = shown.map((row) => (row.kind === "post" ? row : { ...row, state: "approved" as const, featured: true }))
        return { feed: { items, next_cursor }, changes_at }
      }, Effect.orDie)
    }))
  )
}
