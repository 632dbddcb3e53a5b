import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { ClusterError, MessageStorage, RunnerAddress, RunnerHealth, RunnerStorage, Runners, Sharding, ShardingConfig } from "effect/cluster"
import { TestClock } from "effect/testing"
import { repeatedLines } from "./Cluster.ts"

/** A node whose locks lie in a storage that can be away. */
const nodeOn = (storage: { isAway: boolean }) => {
  const locks = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.makeMemory, (memory) =>
      RunnerStorage.RunnerStorage.of({
        ...memory,
        refresh: (address, shards) =>
          Effect.suspend(() =>
            storage.isAway ? Effect.fail(new ClusterError.PersistenceError({ cause: new Error("away") })) : memory.refresh(address, shards)
          )
      })
    )
  )
  const config = ShardingConfig.layer({
    runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", 1)),
    shardLockRefreshInterval: "1333 millis"
  })
  const others = Layer.mergeAll(Runners.layerNoop, RunnerHealth.layerNoop, locks).pipe(Layer.provideMerge(MessageStorage.layerMemory))
  return Sharding.layer.pipe(Layer.provide(others), Layer.provide(config))
}

it.effect("a storage of locks that is away for ten minutes has a line a minute, and one when it is back", () =>
  Effect.gen(function* () {
    const storage = { isAway: false }
    const lines: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => lines.push(String([message].flat()[0])))])
    yield* Layer.build(nodeOn(storage).pipe(Layer.provide(repeatedLines), Layer.provide(log)))
    yield* TestClock.adjust("1 minute")
    storage.isAway = true
    yield* TestClock.adjust("10 minutes")
    storage.isAway = false
    yield* TestClock.adjust("1 minute")
    const count = (start: string) => lines.filter((line) => line.startsWith(start)).length
    assert.strictEqual(count("Shard lock storage is unhealthy"), 1, lines.join())
    assert.strictEqual(count("Shard lock storage is still unhealthy"), 10)
    assert.strictEqual(count("Shard lock storage has recovered"), 1)
  }).pipe(Effect.scoped)
)
