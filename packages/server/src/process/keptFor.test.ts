import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { keptFor } from "./keptFor.ts"

const HOUR_MS = 3_600_000

/** How often it ran, kept for a second. */
const counted = Effect.suspend(() => {
  let runs = 0
  return keptFor(1_000)(Effect.sync(() => ++runs))
})

it.effect("an answer is kept for its time, whichever way the host's clock is set", () =>
  Effect.gen(function* () {
    const kept = yield* counted
    assert.deepStrictEqual([yield* kept, yield* kept], [1, 1])
    yield* TestClock.adjust("999 millis")
    assert.strictEqual(yield* kept, 1)
    yield* TestClock.setTime(-HOUR_MS)
    assert.strictEqual(yield* kept, 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* kept, 2)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* kept, 3)
  })
)

it.effect("whoever comes while it runs waits for the same run, and a run that nobody waits for is begun anew", () =>
  Effect.gen(function* () {
    const go = yield* Deferred.make<void>()
    let runs = 0
    const slow = Effect.suspend(() => Effect.as(Deferred.await(go), ++runs))
    const kept = yield* keptFor(1_000)(slow)
    const left = yield* Effect.forkChild(kept, { startImmediately: true })
    yield* Fiber.interrupt(left)
    const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(kept, { startImmediately: true }))
    yield* TestClock.adjust("5 seconds")
    const late = yield* Effect.forkChild(kept, { startImmediately: true })
    yield* Deferred.succeed(go, undefined)
    assert.deepStrictEqual(yield* Effect.forEach([...waiting, late], Fiber.join), [2, 2, 2, 2])
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* kept, 3)
  })
)

it.effect("a failure is kept as well", () =>
  Effect.gen(function* () {
    let runs = 0
    const kept = yield* keptFor(1_000)(Effect.suspend(() => Effect.fail(++runs)))
    assert.deepStrictEqual([yield* Effect.flip(kept), yield* Effect.flip(kept)], [1, 1])
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Effect.flip(kept), 2)
  })
)
