import { RateLimited, Unavailable } from "@agon/api/Problem.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeUntilAnswered } from "./untilAnswered.ts"

it.effect("asks a service that is away again at once, and less often the longer it is away", () =>
  Effect.gen(function* () {
    let tries = 0
    const away = Effect.suspend(() => {
      tries++
      return Effect.fail(new Unavailable({ detail: "away" }))
    })
    const asking = yield* Effect.forkChild(makeUntilAnswered()("ask", away))
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

it.effect("says at once why it is not answered, and once a minute while the reason stays the same", () =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void said.push(JSON.stringify(message)))])
    const untilAnswered = makeUntilAnswered()
    let tries = 0
    const full = Effect.suspend(() => Effect.fail(new Unavailable({ detail: `the disk is full, request ${++tries}` })))
    const asking = yield* Effect.forkChild(Effect.provide(untilAnswered("lease", full), logger), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    assert.strictEqual(said.length, 1)
    assert.match(said[0]!, /could not lease, trying again.*the disk is full/)
    yield* TestClock.adjust("58 seconds")
    assert.strictEqual(said.length, 1)
    yield* TestClock.adjust("7 seconds")
    assert.strictEqual(said.length, 2)
    assert.match(said[1]!, /"left_out":\d+/)
    yield* Fiber.interrupt(asking)
    // Neither does the next call begin anew, and another reason is told.
    for (const error of [new Unavailable({ detail: "still" }), new RateLimited({ detail: "slowly", retry_after_ms: 1000 })]) {
      const next = yield* Effect.forkChild(Effect.provide(untilAnswered("lease", Effect.fail(error)), logger), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(next)
    }
    assert.strictEqual(said.length, 3)
    assert.match(said[2]!, /slowly/)
  })
)
