import { Unavailable } from "@agon/api/Problem.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { untilAnswered } from "./untilAnswered.ts"

it.effect("asks a service that is away again at once, and less often the longer it is away", () =>
  Effect.gen(function* () {
    let tries = 0
    const away = Effect.suspend(() => {
      tries++
      return Effect.fail(new Unavailable({ detail: "away" }))
    })
    const asking = yield* Effect.forkChild(untilAnswered("ask", away))
    yield* TestClock.adjust("5 seconds")
    assert.isAtLeast(tries, 5, "in 5 s, in which a season moves to another node")
    yield* TestClock.adjust("55 seconds")
    const before = tries
    yield* TestClock.adjust("10 minutes")
    assert.isAtMost(tries - before, 150, "in ten minutes, one in 4 s or more")
    assert.isAtLeast(tries - before, 90, "in ten minutes, one in 6 s or less")
    yield* Fiber.interrupt(asking)
  })
)
