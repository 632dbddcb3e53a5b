import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as CachePurges from "@agon/server/http/CachePurges.ts"
import { ResponseCache } from "@agon/server/http/ResponseCache.ts"
import * as Postgres from "../support/Postgres.ts"

/** One more node on the same database. */
const node = Effect.map(
  Layer.build(Layer.fresh(CachePurges.layer)),
  (context) => context.mapUnsafe.get(ResponseCache.key) as ResponseCache["Service"]
)

const keep = (cache: ResponseCache["Service"], url: string, tag: string) =>
  cache.getOrCompute(url, Effect.succeed({ text: url, contentType: "text/plain", tags: new Set([tag]) }))

const eventually = (what: string, holds: () => boolean) =>
  Effect.promise(async () => {
    for (let waited_ms = 0; !holds(); waited_ms += 10) {
      if (waited_ms > 10_000) throw new Error(`${what} did not happen within 10 s`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

const listeners = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    ([row]) => row!.n
  )
)

/** Both listen: what was kept before a listener stood is forgotten, so tests begin after it. */
const listening = (count: number) =>
  Effect.gen(function* () {
    while ((yield* listeners) < count) yield* Effect.sleep("10 millis")
    yield* Effect.sleep("50 millis")
  })

layer(Postgres.layer({ maxConnections: 6 }), { excludeTestServices: true })("caches of two nodes", (it) => {
  it.effect("forget what either purges, keep the rest, and forget all when a listener was lost", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* node, yield* node]
      yield* listening(2)
      yield* keep(there, "/a", "season:1")
      yield* keep(there, "/b", "season:2")
      yield* here.purge("season:1")
      yield* eventually("the purge", () => there.getUnsafe("/a") === undefined)
      assert.isDefined(there.getUnsafe("/b"))

      yield* keep(here, "/c", "season:3")
      yield* there.purgeAll
      yield* eventually("the purge of everything", () => here.getUnsafe("/c") === undefined)

      yield* keep(here, "/d", "season:4")
      yield* keep(there, "/d", "season:4")
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
      yield* eventually("forgetting", () => here.getUnsafe("/d") === undefined && there.getUnsafe("/d") === undefined)
      yield* listening(2)
      yield* keep(there, "/e", "season:5")
      yield* here.purge("season:5")
      yield* eventually("the purge after the loss", () => there.getUnsafe("/e") === undefined)
    })
  )
})

describe("notifications", () => {
  it("hold as many tags as fit into what Postgres takes", () => {
    const tags = Array.from({ length: 500 }, (_, i) => `profile:${"ä".repeat(40)}${i}`)
    const found = CachePurges.payloads("me", tags)
    assert.isAbove(found.length, 1)
    for (const payload of found) assert.isBelow(Buffer.byteLength(payload), 8000)
    assert.deepStrictEqual(
      found.flatMap((payload) => JSON.parse(payload).tags),
      tags
    )
    assert.deepStrictEqual(CachePurges.payloads("me", []), [])
  })
})
