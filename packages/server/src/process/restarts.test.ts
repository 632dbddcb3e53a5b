import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { restarts } from "./restarts.ts"

const schedule = restarts("1 second", "10 seconds")

/** The start times, in seconds, of runs that last this long. */
const beginnings = (lives_s: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const begun: Array<number> = []
    const life = Effect.gen(function* () {
      begun.push((yield* Clock.currentTimeMillis) / 1_000)
      const life_s = lives_s[begun.length - 1]
      yield* life_s === undefined ? Effect.never : Effect.sleep(life_s * 1_000)
    })
    const fiber = yield* Effect.forkChild(Effect.repeat(life, schedule))
    yield* TestClock.adjust("1 hour")
    yield* Fiber.interrupt(fiber)
    return begun
  })

it.effect("waits double up to the longest where one life after another ends at once", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* beginnings([0, 0, 0, 0, 0, 0]), [0, 1, 3, 7, 15, 25, 35])
  })
)

it.effect("after a life that lasted they start afresh", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* beginnings([0, 0, 0, 10, 11, 0]), [0, 1, 3, 7, 25, 37, 39])
  })
)
