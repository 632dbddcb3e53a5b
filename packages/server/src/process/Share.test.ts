import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeShare } from "./Share.ts"

const share = () => makeShare({ places: 2, waiting: 3, wait: "5 seconds" }, () => "refused" as const)

describe("a share", () => {
  it.effect("has so many places, passes them on in the order of asking, and refuses at once who would be one too many", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      const had: Array<number> = []
      yield* take
      yield* take
      const waiting = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.forkChild(
          Effect.andThen(
            take,
            Effect.sync(() => had.push(n))
          ),
          { startImmediately: true }
        )
      )
      assert.strictEqual(yield* Effect.flip(take), "refused")
      for (const [i, fiber] of waiting.entries()) {
        yield* release
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(had, [1, 2, 3].slice(0, i + 1))
      }
    })
  )

  it.effect("is waited for so long", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      yield* take
      yield* take
      const waiting = yield* Effect.forkChild(Effect.flip(take), { startImmediately: true })
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "refused")
      yield* release
      yield* take
      assert.strictEqual((yield* Effect.forkChild(take, { startImmediately: true })).pollUnsafe(), undefined, "who gave up has no place")
    })
  )

  it.effect("loses no place to those who go away, while they wait or as it is passed to them", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      yield* take
      yield* take
      const [one, other] = yield* Effect.forEach([1, 2], () => Effect.forkChild(take, { startImmediately: true }))
      yield* Fiber.interrupt(one!)
      yield* release // passes it to the other, which has not resumed yet
      yield* Fiber.interrupt(other!)
      if (Exit.isSuccess(yield* Fiber.await(other!))) yield* release // it resumed before the interruption
      yield* release
      yield* take
      yield* take
      assert.isUndefined((yield* Effect.forkChild(take, { startImmediately: true })).pollUnsafe())
    })
  )
})
