/** Seasons on nodes of a cluster, each with its own scope, map and runner, over one Postgres. */

import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { NodeClusterHttp } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { RunnerAddress, ShardId, Sharding } from "effect/cluster"
import { eventually } from "./eventually.ts"
import { freePort } from "./freePort.ts"
import { insertPeople, insertSeason } from "./SeasonRows.ts"
import { id, settings } from "./SeasonScript.ts"

/** A season with rows of its own: its number is also that of its only owner. */
export const create = (n: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* insertSeason(sql, id("season", n), settings())
    yield* insertPeople(sql, id("season", n), 8)
    return id("season", n)
  })

const SHARDS = 16

/** One node of many; `seasons` is built over its part of the cluster. */
export const node = Effect.fnUntraced(function* <A, E, R>(seasons: Layer.Layer<A | LocalMailboxes | SeasonActors, E, R>) {
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
  const context = yield* Layer.buildWithScope(Layer.fresh(seasons.pipe(Layer.provideMerge(Layer.fresh(cluster)))), scope)
  const sharding = Context.get(context, Sharding.Sharding)
  const shards = () => Array.from({ length: SHARDS }, (_, n) => sharding.hasShardId(ShardId.make("default", n + 1))).filter(Boolean).length
  return {
    actors: Context.get(context, SeasonActors),
    local: Context.get(context, LocalMailboxes),
    shards,
    stop: Scope.close(scope, Exit.void)
  }
})

/** Each has its share, and every shard has an owner again. */
export const shared = (...nodes: ReadonlyArray<{ readonly shards: () => number }>) =>
  eventually(
    "shards move to their new owners",
    Effect.sync(() => {
      const counts = nodes.map(({ shards }) => shards())
      return counts.every((count) => count > 0) && counts.reduce((sum, count) => sum + count, 0) === SHARDS
    })
  )
