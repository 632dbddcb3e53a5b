/** Pages far down in lists of matches, which anybody may ask for: each goes through all rows before it. */

import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import { insertRows } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const ASKED = 100
const CONNECTIONS = 60

const services = Matches.layer.pipe(
  Layer.provide(Layer.mock(Replays, { urlOf: () => Effect.succeed("") })),
  Layer.provideMerge(Seasons.layer)
)
const rows = Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, { matches: 2_500, entries: 40 })))
const web = Layer.merge(services, rows).pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: CONNECTIONS })))

interface Asked {
  readonly sort: "closest" | "longest" | "newest"
  readonly cursor: number
  readonly ladder?: "open"
}
/** From where on pages are deep: of all matches of a season, and of a filter. */
const deepPages: Readonly<Record<string, Asked>> = {
  "of a season": { sort: "longest", cursor: 1_000 },
  "of a filter": { sort: "closest", cursor: 128, ladder: "open" }
}

layer(web, { excludeTestServices: true, timeout: 60_000 })("pages far down in the matches of a season", (it) => {
  for (const [name, far] of Object.entries(deepPages))
    it.effect(`are read two at a time, so that whoever asks for many leaves connections to others: ${name}`, () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { list } = yield* Matches
        const page = (asked: Asked) => list({ game: "snakes", season: "big", limit: 25, ...asked }, null)
        const of = (yield* page({ ...far, cursor: 0 })).list.total // what is counted of a list is kept from then on
        assert.isAbove(of, far.cursor + ASKED + 25)
        const reading = Effect.map(
          sql<{
            readonly n: number
          }>`SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          ([row]) => row!.n
        )
        const release = yield* Deferred.make<void>()
        const locked = yield* Deferred.make<void>()
        const hold = sql`LOCK TABLE seat IN ACCESS EXCLUSIVE MODE`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(release)),
          sql.withTransaction
        )
        const holder = yield* Effect.forkChild(hold)
        yield* Deferred.await(locked)
        const deep = yield* Effect.forEach(Array.from({ length: ASKED }), (_, i) =>
          Effect.forkChild(Effect.exit(page({ ...far, cursor: far.cursor + i })))
        )
        const refused = () => deep.filter((fiber) => fiber.pollUnsafe() !== undefined).length
        yield* eventually(
          "the two are reading, others wait, and the rest are refused",
          Effect.map(reading, (n) => n === 2 && refused() >= 16)
        )
        const first = yield* Effect.forEach([0, 25, 50], (cursor) => Effect.forkChild(page({ sort: "newest", cursor })))
        yield* eventually(
          "first pages are asked for beside them",
          Effect.map(reading, (n) => n === 2 + first.length)
        )
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        for (const fiber of first) assert.lengthOf((yield* Fiber.join(fiber)).list.matches, 25)
        const ends = yield* Effect.forEach(deep, Fiber.join)
        for (const end of ends) {
          if (Exit.isSuccess(end)) assert.lengthOf(end.value.list.matches, 25)
          else assert.include(JSON.stringify(end.cause), "unavailable")
        }
        assert.isAtLeast(ends.filter(Exit.isSuccess).length, 2)
        assert.lengthOf((yield* page(far)).list.matches, 25)
      })
    )
})
