import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ResponseCache } from "./ResponseCache.ts"

const answer = (text: string, ...tags: ReadonlyArray<string>) => ({ text, contentType: "application/json", tags: new Set(tags) })

describe("ResponseCache", () => {
  it.effect("computes once for all who ask at the same time", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      let computed = 0
      const ask = cache.getOrCompute(
        "/a",
        Effect.andThen(
          Deferred.await(gate),
          Effect.sync(() => answer(String(++computed), "t"))
        )
      )
      const all = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(
        (yield* Fiber.join(all)).map((entry) => entry.body.toString()),
        ["1", "1", "1"]
      )
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("does not keep what was computed while its tag was purged, nor let newcomers join it", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const old = yield* Effect.forkChild(cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("old", "t"))))
      yield* Effect.yieldNow
      yield* cache.purge("t")
      assert.strictEqual((yield* cache.getOrCompute("/a", Effect.succeed(answer("new", "t")))).body.toString(), "new")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(old)).body.toString(), "old")
      assert.strictEqual(cache.getUnsafe("/a")?.body.toString(), "new")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("goes on for those who wait when the first caller hangs up", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const ask = cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("kept", "t")))
      const first = yield* Effect.forkChild(ask)
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(ask)
      yield* Effect.yieldNow
      const hungUp = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(second)).body.toString(), "kept")
      yield* Fiber.join(hungUp)
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("stays under its bound by letting the oldest go", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const big = "x".repeat(8 * 1024 * 1024 - 1024)
      for (let i = 0; i < 10; i++) yield* cache.getOrCompute(`/${i}`, Effect.succeed(answer(big, "t")))
      assert.deepStrictEqual(
        [0, 1, 2, 9].map((i) => cache.getUnsafe(`/${i}`) !== undefined),
        [false, false, true, true]
      )
    }).pipe(Effect.provide(ResponseCache.layer))
  )
})
