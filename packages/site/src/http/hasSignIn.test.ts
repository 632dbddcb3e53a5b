import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { brokenOffAnywhere } from "../../../../test/support/brokenOff.ts"
import { makeHasSignIn } from "./hasSignIn.ts"

it.effect(
  "ways to sign in are asked for once a minute, together, and pages go on with the last answer meanwhile and while there is none",
  () =>
    Effect.gen(function* () {
      let asked = 0
      let answer: Effect.Effect<ReadonlyArray<unknown>, unknown> = Effect.succeed([{ slug: "dev" }])
      const authProviders = () =>
        Effect.suspend(() => {
          asked++
          return Effect.andThen(Effect.yieldNow, answer)
        })
      const has = makeHasSignIn({ account: { authProviders } } as never, yield* Effect.scope)
      const together = Effect.all([has, has, has], { concurrency: "unbounded" })
      assert.deepStrictEqual([yield* together, asked], [[true, true, true], 1])
      answer = Effect.never
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* together, [true, true, true])
      yield* Effect.repeat(Effect.yieldNow, { times: 10 }) // it is asked beside the pages
      assert.deepStrictEqual([yield* has, asked], [true, 2])
    })
)

it.effect("a visitor who leaves at any moment leaves nobody behind who waits for it", () =>
  brokenOffAnywhere(
    Effect.map(Effect.scope, (scope) => makeHasSignIn({ account: { authProviders: () => Effect.succeed([]) } } as never, scope)),
    (has) => has,
    (has) => has
  )
)

it.effect("while the service is away there is none; it is asked again after a second", () =>
  Effect.gen(function* () {
    let answer: Effect.Effect<ReadonlyArray<unknown>, unknown> = Effect.fail("away")
    const authProviders = () => Effect.suspend(() => answer)
    const has = makeHasSignIn({ account: { authProviders } } as never, yield* Effect.scope)
    assert.isFalse(yield* has)
    answer = Effect.succeed([{ slug: "dev" }])
    assert.isFalse(yield* has)
    yield* TestClock.adjust("1 second")
    yield* Effect.andThen(has, Effect.repeat(Effect.yieldNow, { times: 10 }))
    assert.isTrue(yield* has)
  })
)
