import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeFailover } from "./RateLimitFailover.ts"

describe("buckets that nodes share", () => {
  it.effect("are asked again after a probe that never ended", () =>
    Effect.gen(function* () {
      let answers = false
      let asked = 0
      const take = () =>
        Effect.suspend(() => {
          asked++
          return answers ? Effect.succeed(7) : Effect.never
        })
      const starting = yield* Effect.forkChild(makeFailover({ take }, 500))
      yield* TestClock.adjust("500 millis")
      const { takeUnsafe } = yield* Fiber.join(starting)
      const one = { per_s: 1, burst: 1 }
      assert.strictEqual(takeUnsafe("bucket", one), 0, "by this node")
      yield* TestClock.adjust("1 minute")
      assert.isAtMost(asked, 10, "probes do not pile up")
      answers = true
      yield* TestClock.adjust("15 seconds")
      const wait_ms = takeUnsafe("bucket", one)
      assert.isTrue(Effect.isEffect(wait_ms), "by the shared buckets")
      assert.strictEqual(yield* wait_ms as Effect.Effect<number>, 7)
    })
  )
})
