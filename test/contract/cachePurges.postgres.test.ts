import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Broadcast, payloads } from "@agon/server/node/Broadcast.ts"
import * as CachePurges from "@agon/server/node/CachePurges.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as HostClock from "../support/HostClock.ts"
import * as Postgres from "../support/Postgres.ts"

/** One more node on the same database. */
const nodeOf = (broadcast: typeof Broadcast.layer) =>
  Effect.map(
    Layer.build(Layer.fresh(CachePurges.layer.pipe(Layer.provide(Layer.fresh(broadcast))))),
    (context) => context.mapUnsafe.get(ResponseCache.key) as ResponseCache["Service"]
  )
const node = nodeOf(Broadcast.layer)

const keep = (cache: ResponseCache["Service"], url: string, tag: string) =>
  cache.getOrCompute(url, Effect.succeed({ text: url, contentType: "text/plain", tags: new Set([tag]) }))

const comes = (what: string, holds: () => boolean) => eventually(what, Effect.sync(holds))

const listeners = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    ([row]) => row!.n
  )
)

/**
 * Both listen and hear each other. Answers that were kept before a listener stood are forgotten, so tests begin when an
 * answer outlives the purge of another that was kept before it.
 */
const hearing = (one: ResponseCache["Service"], other: ResponseCache["Service"]) =>
  Effect.gen(function* () {
    yield* eventually(
      "two listeners",
      Effect.map(listeners, (count) => count >= 2)
    )
    for (const [speaks, hears] of [
      [one, other],
      [other, one]
    ] as const) {
      const heard = Effect.gen(function* () {
        yield* keep(hears, "/probe", "probe")
        yield* keep(hears, "/beside", "beside")
        yield* speaks.purge("probe")
        yield* comes("the purge", () => hears.getUnsafe("/probe") === undefined)
        return hears.getUnsafe("/beside") !== undefined
      })
      yield* eventually("a purge of one answer alone", heard)
    }
  })

layer(Postgres.layer({ maxConnections: 6 }), { excludeTestServices: true })("caches of two nodes", (it) => {
  it.effect("forget what either purges, keep the rest, and forget all when a listener was lost", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* node, yield* node]
      yield* hearing(here, there)
      yield* keep(there, "/a", "season:1")
      yield* keep(there, "/b", "season:2")
      yield* here.purge("season:1")
      yield* comes("the purge", () => there.getUnsafe("/a") === undefined)
      assert.isDefined(there.getUnsafe("/b"))

      yield* keep(here, "/c", "season:3")
      yield* there.purgeAll
      yield* comes("the purge of everything", () => here.getUnsafe("/c") === undefined)

      yield* keep(here, "/d", "season:4")
      yield* keep(there, "/d", "season:4")
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
      yield* comes("forgetting", () => here.getUnsafe("/d") === undefined && there.getUnsafe("/d") === undefined)
      yield* hearing(here, there)
      yield* keep(there, "/e", "season:5")
      yield* here.purge("season:5")
      yield* comes("the purge after the loss", () => there.getUnsafe("/e") === undefined)
    })
  )
})

/**
 * Whether an answer outlives the time after which a disconnected node would have forgotten it; a busy
 * machine may need another try.
 */
const keepsAwhile = Effect.fnUntraced(function* (cache: ResponseCache["Service"]) {
  for (let tries = 0; tries < 5; tries++) {
    yield* keep(cache, "/kept", "season:2")
    yield* Effect.sleep("600 millis")
    if (cache.getUnsafe("/kept") !== undefined) return true
  }
  return false
})

const backends = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`, (rows) =>
    rows.map(({ pid }) => pid)
  )
)
/** The process of Postgres that takes new connections. */
const postmaster = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ pid: number }>`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`, ([row]) => row!.pid)
)
const signal = (pids: ReadonlyArray<number>, name: "SIGSTOP" | "SIGCONT") =>
  Effect.sync(() => pids.forEach((pid) => process.kill(pid, name)))

layer(Postgres.layer({ maxConnections: 6 }), { excludeTestServices: true })("a node whose line is cut in silence", (it) => {
  it.effect("forgets everything while it hears nothing, and keeps answers again once it hears", () =>
    Effect.gen(function* () {
      const quick = Broadcast.layerOf({ beat_ms: 50, disconnected_ms: 400 })
      const [here, there] = [yield* nodeOf(quick), yield* nodeOf(quick)]
      yield* hearing(here, there)
      assert.isTrue(yield* keepsAwhile(there), "nodes that nobody talks to hear themselves")
      const stopped = [...(yield* backends), yield* postmaster]
      yield* Effect.gen(function* () {
        yield* signal(stopped, "SIGSTOP") // frozen: the connections stand, nothing comes, and no new one is made
        yield* keep(there, "/a", "season:1")
        yield* here.purge("season:1")
        yield* comes("forgetting", () => there.getUnsafe("/a") === undefined)
        yield* keep(there, "/b", "season:1")
        assert.isUndefined(there.getUnsafe("/b"), "what may be untrue already is not kept")
      }).pipe(Effect.ensuring(signal(stopped, "SIGCONT")))
      assert.isTrue(yield* keepsAwhile(there))
    })
  )
})

layer(Postgres.layer({ maxConnections: 6 }), { excludeTestServices: true })("a node whose clock is set", (it) => {
  it.effect("keeps answers as before, and finds out that its line was cut though it was set back meanwhile", () =>
    Effect.gen(function* () {
      const host = yield* HostClock.make
      const quick = Broadcast.layerOf({ beat_ms: 50, disconnected_ms: 400 })
      const node = yield* nodeOf(quick).pipe(Effect.provideService(Clock.Clock, host.clock))
      for (const ahead_ms of [0, 3_600_000]) {
        host.ahead_ms = ahead_ms
        assert.isTrue(yield* keepsAwhile(node), `${ahead_ms} ms`)
      }
      const stopped = yield* backends
      yield* signal(stopped, "SIGSTOP")
      host.ahead_ms = 0 // nothing was heard since it was set back
      yield* keep(node, "/b", "season:1")
      yield* Effect.ensuring(
        comes("forgetting", () => node.getUnsafe("/b") === undefined),
        signal(stopped, "SIGCONT")
      )
    })
  )
})

describe("notifications", () => {
  it("hold as many tags as fit into what Postgres takes", () => {
    const tags = Array.from({ length: 500 }, (_, i) => `profile:${"ä".repeat(40)}${i}`)
    const found = payloads("me", "purge", tags)
    assert.isAbove(found.length, 1)
    for (const payload of found) assert.isBelow(Buffer.byteLength(payload), 8000)
    assert.deepStrictEqual(
      found.flatMap((payload) => JSON.parse(payload).words),
      tags
    )
    assert.deepStrictEqual(payloads("me", "purge", []), [])
  })
})
