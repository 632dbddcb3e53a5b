/** Connections to Postgres that were cut in silence: no error comes, and no answer either. */
import { layerPools, SeasonSql } from "@agon/server/database/Database.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import * as Operations from "@agon/server/http/Operations.ts"
import { Broadcast } from "@agon/server/node/Broadcast.ts"
import * as CachePurges from "@agon/server/node/CachePurges.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { type SilentFront, silentFront } from "../support/SilentFront.ts"
import { allowed } from "../support/slack.ts"
import { leftOut } from "../support/slow.ts"

/** Where something hangs a pool cannot be closed either. */
const TIMEOUT_MS = 120_000

const missing = leftOut("lines of nodes and of /readyz that are cut in silence: half a minute")

const onFront = Effect.gen(function* () {
  const front = yield* silentFront(yield* Postgres.url({ migrate: true }))
  const pools = yield* Layer.build(layerPools({ url: front.url }))
  return { front, sql: Context.get(pools, SqlClient.SqlClient) }
})

/** A node's cache, whose purges go to the others. */
const nodeAt = (url: SilentFront["url"]) =>
  Effect.map(
    Layer.build(
      Layer.fresh(CachePurges.layer.pipe(Layer.provide(Broadcast.layerOf({ beat_ms: 50, disconnected_ms: 400 })))).pipe(
        Layer.provide(PgClient.layer({ url, maxConnections: 3 }))
      )
    ),
    (context) => context.mapUnsafe.get(ResponseCache.key) as ResponseCache["Service"]
  )

const keep = (cache: ResponseCache["Service"], url: string) =>
  cache.getOrCompute(url, Effect.succeed({ text: url, contentType: "text/plain", tags: new Set(["season:1"]) }))

/** Whether answers stay for longer than a node that hears nothing keeps them. */
const keeps = (cache: ResponseCache["Service"]) =>
  Effect.gen(function* () {
    yield* keep(cache, "/kept")
    yield* Effect.sleep("600 millis")
    return cache.getUnsafe("/kept") !== undefined
  })

/** Whether an answer that was kept is forgotten after a purge at the other node. */
const purges = (one: ResponseCache["Service"], other: ResponseCache["Service"]) =>
  Effect.gen(function* () {
    if (!(yield* keeps(other))) return false
    yield* one.purge("season:1")
    yield* Effect.sleep("200 millis")
    return other.getUnsafe("/kept") === undefined
  })

describe.skipIf(missing !== undefined)("a node whose lines to the database were cut in silence", () => {
  it.live(
    "listens on new ones, keeps answers again, and its words reach the others",
    () =>
      Effect.gen(function* () {
        const url = yield* Postgres.url({ migrate: true })
        const front = yield* silentFront(url)
        const [here, there] = [yield* nodeAt(front.url), yield* nodeAt(url)]
        yield* eventually(
          "both hear each other",
          Effect.zipWith(purges(here, there), purges(there, here), (a, b) => a && b)
        )
        yield* keep(there, "/last")
        yield* front.cut
        yield* here.purge("season:1")
        yield* eventually(
          "the purge of the moment, told again",
          Effect.sync(() => there.getUnsafe("/last") === undefined)
        )
        yield* eventually(
          "both hear each other again",
          Effect.zipWith(purges(here, there), purges(there, here), (a, b) => a && b)
        )
        yield* eventually(
          "no cut connection is held",
          Effect.sync(() => front.standing() <= 4)
        )
      }).pipe(Effect.scoped),
    TIMEOUT_MS
  )
})

describe.skipIf(missing !== undefined)("/readyz", () => {
  it.live(
    "says within its two seconds that the database does not answer, whatever becomes of the connection",
    () =>
      Effect.gen(function* () {
        const { front, sql } = yield* onFront
        const routes = Operations.layer.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))
        const { dispose, handler } = HttpRouter.toWebHandler(routes as never)
        yield* Effect.addFinalizer(() => Effect.promise(() => dispose()))
        const asked = Effect.promise(() => (handler as (request: Request) => Promise<Response>)(new Request("http://x/readyz")))
        assert.strictEqual((yield* asked).status, 200)
        yield* front.cut
        yield* Effect.sleep("300 millis") // an answer is kept for that long
        const [took, { status }] = yield* Effect.timed(asked)
        assert.strictEqual(status, 503)
        assert.isBelow(Duration.toMillis(took), 6_000) // the driver takes 5 s more to give a connection up
        yield* eventually(
          "readiness",
          Effect.map(asked, ({ status }) => status === 200)
        )
      }).pipe(Effect.scoped),
    TIMEOUT_MS
  )
})

/** Of silence, after which a connection is given up. */
const SILENT_S = 1
const CONNECTIONS = 3

describe("work on a connection that was cut in silence", () => {
  it.live(
    "ends with it, also a BEGIN and a COMMIT that nobody may interrupt, and goes on with another connection",
    () =>
      Effect.gen(function* () {
        const front = yield* silentFront(yield* Postgres.url({ migrate: true }))
        const pools = yield* Layer.build(layerPools({ url: front.url, request_connections: CONNECTIONS, silent_s: SILENT_S }))
        const [sql, seasons] = [Context.get(pools, SqlClient.SqlClient), Context.get(pools, SeasonSql)]
        const busy = Effect.all(
          Array.from({ length: CONNECTIONS }, () => sql`SELECT pg_sleep(0.2)`),
          { concurrency: "unbounded" }
        )
        const began = yield* Deferred.make<void>()
        const ending = yield* Effect.forkChild(
          Effect.exit(sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.delay(Deferred.succeed(began, undefined), "600 millis"))))
        )
        yield* busy.pipe(Effect.andThen(seasons`SELECT 1`), Effect.andThen(Effect.sleep("200 millis")))
        yield* front.cut // three connections of requests stand, one in a transaction, and one of seasons
        const statement = yield* Effect.forkChild(Effect.exit(Effect.timeout(sql`SELECT 1`, "1 minute")))
        const [took, exits] = yield* Effect.timed(
          Effect.all([Effect.exit(sql.withTransaction(sql`SELECT 1`)), Effect.exit(seasons.withTransaction(seasons`SELECT 1`))], {
            concurrency: "unbounded"
          })
        )
        const ended = [...exits, yield* Fiber.join(statement), yield* Fiber.join(ending)]
        for (const [i, exit] of ended.entries()) assert.include(String(exit), `no byte from the database in ${SILENT_S} s`, `${i}`)
        assert.isTrue(yield* Deferred.isDone(began), "the COMMIT was on its way")
        assert.isBelow(Duration.toMillis(took), allowed(5_000))
        yield* busy
        yield* seasons.withTransaction(seasons`SELECT 1`)
      }).pipe(Effect.scoped),
    TIMEOUT_MS
  )
})
