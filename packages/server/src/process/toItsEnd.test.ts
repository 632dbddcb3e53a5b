import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { toItsEnd } from "./toItsEnd.ts"

/** An effect that ends when it is let go, its caller, and what is told to nobody. */
const started = Effect.fnUntraced(function* (end: Effect.Effect<string, string>) {
  const heard: Array<string> = []
  const go = yield* Deferred.make<void>()
  const effect = Effect.andThen(Deferred.await(go), end)
  const caller = yield* Effect.forkChild(
    toItsEnd(effect, (value) => Effect.sync(() => heard.push(value))),
    { startImmediately: true }
  )
  const letGo = Effect.andThen(Deferred.succeed(go, undefined), Effect.yieldNow)
  return { caller, heard, letGo }
})

it.effect("what was begun ends where its caller is interrupted, and is told once it has ended", () =>
  Effect.gen(function* () {
    const { caller, heard, letGo } = yield* started(Effect.succeed("done"))
    yield* Fiber.interrupt(caller)
    assert.deepStrictEqual(heard, [], "it has not ended, and nobody waited for it")
    yield* letGo
    yield* Effect.yieldNow
    assert.deepStrictEqual(heard, ["done"])
  })
)

it.effect("whoever waits for it gets what it is, or why it failed, and nobody else is told", () =>
  Effect.gen(function* () {
    const first = yield* started(Effect.succeed("done"))
    yield* first.letGo
    assert.strictEqual(yield* Fiber.join(first.caller), "done")
    const second = yield* started(Effect.fail("refused"))
    yield* second.letGo
    assert.deepStrictEqual(yield* Effect.exit(Fiber.join(second.caller)), Exit.fail("refused"))
    assert.deepStrictEqual([...first.heard, ...second.heard], [])
  })
)

it.effect("a failure that nobody hears is dropped", () =>
  Effect.gen(function* () {
    const { caller, heard, letGo } = yield* started(Effect.fail("refused"))
    yield* Fiber.interrupt(caller)
    yield* letGo
    assert.deepStrictEqual(heard, [])
  })
)
