import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, type Layer } from "effect"
import * as WorldClock from "./WorldClock.ts"

const inWorld = <A, E>(effect: Effect.Effect<A, E>) => Effect.provide(effect, WorldClock.layer as Layer.Layer<never>)
const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - 1_000_000)

describe("the time of the world", () => {
  it.live("stands still until it is let pass, and whoever sleeps wakes at their time, in their order", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const say = (what: string) => Effect.map(elapsed, (at) => void said.push(`${what} ${at}`))
      for (const [what, ms] of [["late", 30] as const, ["first", 10] as const, ["second", 10] as const])
        yield* Effect.forkChild(Effect.andThen(Effect.sleep(ms), say(what)))
      yield* WorldClock.still
      assert.deepStrictEqual(said, [])
      yield* WorldClock.pass(9)
      assert.deepStrictEqual(said, [])
      yield* WorldClock.pass(11)
      assert.deepStrictEqual([...said, `now ${yield* elapsed}`], ["first 10", "second 10", "now 20"])
      yield* WorldClock.pass(10)
      assert.deepStrictEqual(said.slice(2), ["late 30"])
    }).pipe(inWorld)
  )

  it.live("whoever wakes does all that they can do before the next one wakes, through however many fibers", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const chain = (left: number): Effect.Effect<void> =>
        left === 0 ? Effect.sync(() => void said.push("done")) : Effect.flatMap(Effect.forkChild(chain(left - 1)), Fiber.join)
      const asked = yield* Deferred.make<void>()
      yield* Effect.forkChild(Effect.andThen(Effect.sleep(10), Deferred.succeed(asked, undefined)))
      yield* Effect.forkChild(Effect.andThen(Deferred.await(asked), chain(50)))
      yield* Effect.forkChild(Effect.andThen(Effect.sleep(10), () => Effect.sync(() => void said.push("next"))))
      yield* WorldClock.pass(10)
      assert.deepStrictEqual(said, ["done", "next"])
    }).pipe(inWorld)
  )

  it.live("whoever gives up sleeping is not woken, and what takes too long is given up in time", () =>
    Effect.gen(function* () {
      let woken = 0
      const sleeper = yield* Effect.forkChild(Effect.andThen(Effect.sleep(10), () => Effect.sync(() => void woken++)))
      yield* WorldClock.still
      yield* Fiber.interrupt(sleeper)
      const waits = yield* Effect.forkChild(Effect.andThen(Effect.timeoutOption(Effect.never, 20), elapsed))
      yield* WorldClock.pass(60)
      assert.strictEqual(woken, 0)
      assert.strictEqual(yield* Fiber.join(waits), 20)
    }).pipe(inWorld)
  )
})
