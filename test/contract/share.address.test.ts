/**
 * One visitor who asks for the first pages of very many lists of matches: others find connections free, and
 * so does what they ask for together.
 */

import * as Database from "@agon/server/database/Database.ts"
import { ClientAddress, trusting } from "@agon/server/http/ClientAddress.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import { id, insertRows, versionNumber } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"
import { overSocket, port } from "../support/Web.ts"

const SIZE = { matches: 6_000, entries: 100 }
const ASKED = 200

const services = Matches.layer.pipe(Layer.provide(Layer.mock(Replays, { urlOf: () => Effect.succeed("") })), Layer.provide(Seasons.layer))
const database = Layer.unwrap(
  Effect.map(Postgres.url({ migrate: true }), (url) =>
    Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, SIZE))).pipe(
      Layer.provideMerge(Database.layerPools({ url }))
    )
  )
)
/** The test is the proxy that names the visitors. */
const Served = overSocket({ handlers: MatchHandlers.pipe(Layer.provide(services)), served: ["match"], database }).pipe(
  Layer.provide(Layer.succeed(ClientAddress, trusting(["127.0.0.1"])))
) as Layer.Layer<Layer.Success<ReturnType<typeof overSocket>> | PgClient.PgClient>

const GREEDY = "2001:db8:0:1::7"
const NEIGHBOUR = "2001:db8:0:1:ffff::8"
const OTHER = "2001:db8:0:2::7"

const get = (visitor: string, path: string) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-forwarded-for": visitor } })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text }
    })
  )

/** The first page of the matches of one version, in one order; each is a list of its own. */
const rareList = (i: number) =>
  `/v1/matches?sort=${i < 100 ? "newest" : "longest"}&version=${id("version", versionNumber(1, 1 + (i % 100)))}`
/** Another that has not been read yet. */
const newList = (i: number) => `/v1/matches?sort=upset&version=${id("version", versionNumber(1, i))}`
const firstPage = "/v1/matches?game=snakes&season=big"

const reading = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND application_name = 'agon anonymous' AND datname = current_database()`,
    ([row]) => row!.n
  )
)

/** Kept lists are looked up before a list is read for the first time, and for no other page. */
const holdingFirstReads = Effect.fnUntraced(function* () {
  const sql = yield* PgClient.PgClient
  const [locked, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const hold = sql`LOCK TABLE kept_list IN ACCESS EXCLUSIVE MODE`.pipe(
    Effect.andThen(Deferred.succeed(locked, undefined)),
    Effect.andThen(Deferred.await(release)),
    sql.withTransaction
  )
  const holder = yield* Effect.forkChild(hold)
  yield* Deferred.await(locked)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holder))
})

layer(Served, { excludeTestServices: true, timeout: 60_000 })("an address that asks for 200 rare lists at once", (it) => {
  it.effect("leaves a connection to others, who wait neither for it nor behind it", () =>
    Effect.gen(function* () {
      const cached = rareList(ASKED - 1)
      assert.strictEqual((yield* get(GREEDY, cached)).status, 200)
      const release = yield* holdingFirstReads()
      const asking = yield* Effect.forEach(Array.from({ length: ASKED - 1 }), (_, i) =>
        Effect.forkChild(get(i % 2 === 0 ? GREEDY : NEIGHBOUR, rareList(i)), { startImmediately: true })
      )
      const refused = () => asking.filter((fiber) => fiber.pollUnsafe() !== undefined).length
      yield* eventually(
        "some are read, others wait, and the rest are refused",
        Effect.map(reading, (n) => n > 0 && refused() >= ASKED - 1 - 3 - 64)
      )
      assert.isAtMost(yield* reading, 3)

      const first = yield* get(OTHER, firstPage)
      assert.strictEqual(first.status, 200, first.text)
      assert.lengthOf(JSON.parse(first.text).matches, 25)
      assert.strictEqual((yield* get(OTHER, `/v1/private${firstPage.slice(3)}`)).status, 200)
      assert.strictEqual((yield* get(GREEDY, cached)).status, 200, "what is kept is not refused to anybody")
      assert.isAtMost(yield* reading, 3)
      yield* release

      for (const { headers, status, text } of yield* Effect.forEach(asking, Fiber.join)) {
        if (status === 200) continue
        assert.deepStrictEqual([status, JSON.parse(text).code, headers.get("retry-after")], [503, "unavailable", "1"])
      }
      assert.strictEqual((yield* get(NEIGHBOUR, rareList(0))).status, 200)
    })
  )
  it.effect("does not keep waiting whoever waits for one of them", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(ResponseCache, (cache) => cache.purgeAll)
      let refused = 0
      const patiently = (visitor: string, path: string) =>
        Effect.forkChild(
          get(visitor, path).pipe(
            Effect.tap(({ status }) => Effect.sync(() => status !== 200 && refused++)),
            Effect.repeat({ until: ({ status }) => status === 200 })
          ),
          { startImmediately: true }
        )
      const release = yield* holdingFirstReads()
      const greedy = [1, 2, 3].map((version) => patiently(GREEDY, newList(version)))
      const held = yield* Effect.all(greedy)
      yield* eventually(
        "three are read",
        Effect.map(reading, (n) => n === 3)
      )
      const together = [yield* patiently(GREEDY, newList(4)), yield* patiently(OTHER, newList(4))]
      yield* eventually(
        "the fourth is read as well, for the other",
        Effect.map(reading, (n) => n === 4)
      )
      assert.strictEqual(refused, 0, "sooner than the queue's wait has an end")
      yield* release
      for (const fiber of [...held, ...together]) yield* Fiber.join(fiber)
    })
  )
})
