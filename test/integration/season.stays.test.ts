/** A season that has stayed on a node for longer than ten minutes, and what becomes of it when the node stops. */

import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import { OpenSeasons } from "@agon/server/actor/OpenSeasons.ts"
import { SeasonActors, layer as seasonsLayer } from "@agon/server/actor/SeasonActors.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { Takeovers } from "@agon/server/actor/Takeovers.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { HasPeers } from "@agon/server/process/HasPeers.ts"
import { NodeClusterHttp, NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { RunnerAddress, ShardId, Sharding } from "effect/cluster"
import { eventually, untilSuccess } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { id, settings } from "../support/SeasonScript.ts"

const SHARDS = 16

const create = (n: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* insertSeason(sql, id("season", n), settings())
    yield* insertPeople(sql, id("season", n), 8)
    return id("season", n)
  })

const node = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const cluster = NodeClusterHttp.layer({
    transport: "http",
    storage: "sql",
    shardingConfig: {
      runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", port)),
      shardsPerGroup: SHARDS,
      shardLockExpiration: "4 seconds",
      shardLockRefreshInterval: "1 second",
      refreshAssignmentsInterval: "500 millis",
      entityMessagePollInterval: "1 second"
    }
  })
  const scope = yield* Scope.make()
  const seasons = Takeovers.layer.pipe(Layer.provideMerge(seasonsLayer), Layer.provideMerge(Layer.fresh(cluster)))
  const context = yield* Layer.buildWithScope(Layer.fresh(seasons), scope)
  const sharding = Context.get(context, Sharding.Sharding)
  const shards = () => Array.from({ length: SHARDS }, (_, n) => sharding.hasShardId(ShardId.make("default", n + 1))).filter(Boolean).length
  return {
    actors: Context.get(context, SeasonActors),
    local: Context.get(context, LocalMailboxes),
    shards,
    stop: Scope.close(scope, Exit.void)
  }
})

const shared = (...nodes: ReadonlyArray<{ readonly shards: () => number }>) =>
  eventually(
    "shards move to their new owners",
    Effect.sync(() => {
      const counts = nodes.map(({ shards }) => shards())
      return counts.every((count) => count > 0) && counts.reduce((sum, count) => sum + count, 0) === SHARDS
    })
  )

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(SeasonEvents.layerSilent),
  Layer.provideMerge(Layer.merge(OpenSeasons.layer, Layer.succeed(HasPeers, true))),
  Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 10 })),
  Layer.provideMerge(NodeCrypto.layerDigest)
)

layer(pg, { excludeTestServices: true })("a season that stays for long", (it) => {
  it.effect("is started by the next node when its own stops, though nobody asks it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const season = yield* create(1)
      const a = yield* node
      yield* untilSuccess(a.actors.wake(season))
      const b = yield* node
      yield* shared(a, b)
      yield* untilSuccess(a.actors.wake(season))
      const [home, away] = a.local.has(season) ? [a, b] : [b, a]
      yield* sql`UPDATE cluster_messages SET last_read = now() - interval '11 minutes' WHERE NOT processed`
      yield* eventually(
        "what keeps it there is delivered again, and answered",
        Effect.map(
          sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM cluster_messages WHERE NOT processed`,
          ([row]) => row!.n === 0
        )
      )
      assert.isTrue(home.local.has(season))
      yield* home.stop
      yield* eventually(
        "the other node hosts it",
        Effect.sync(() => away.local.has(season))
      )
      yield* away.stop
    })
  )
})
