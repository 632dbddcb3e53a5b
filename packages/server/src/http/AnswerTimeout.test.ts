import { Unavailable } from "@agon/api/Problem.ts"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { withAnswerTimeout } from "./AnswerTimeout.ts"

const SOON_MS = 20
const LATE_MS = 60_000

/** Waits for ever, and tells when it has been interrupted. */
const makeSilence = Effect.map(Deferred.make<void>(), (ended) => ({
  ended,
  silence: Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
}))

it.live("an effect that takes longer fails as unavailable, and has been interrupted by then", () =>
  Effect.gen(function* () {
    const { ended, silence } = yield* makeSilence
    const error = yield* Effect.flip(withAnswerTimeout(SOON_MS, silence))
    assert.instanceOf(error, Unavailable)
    assert.isTrue(yield* Deferred.isDone(ended))
  })
)

it.live("it is ended even where its caller cannot be interrupted", () =>
  Effect.gen(function* () {
    const { ended, silence } = yield* makeSilence
    const exit = yield* Effect.exit(Effect.uninterruptible(withAnswerTimeout(SOON_MS, silence)))
    assert.isTrue(Exit.isFailure(exit))
    assert.isTrue(yield* Deferred.isDone(ended))
  })
)

it.live("whoever interrupts the caller waits until the effect has ended", () =>
  Effect.gen(function* () {
    const { ended, silence } = yield* makeSilence
    const caller = yield* Effect.forkChild(withAnswerTimeout(LATE_MS, silence), { startImmediately: true })
    yield* Fiber.interrupt(caller)
    assert.isTrue(yield* Deferred.isDone(ended))
  })
)

it.live("an effect in time keeps its value or its failure, at once or after a wait", () =>
  Effect.gen(function* () {
    const later = Effect.andThen(Effect.sleep(1), Effect.succeed("later"))
    assert.strictEqual(yield* withAnswerTimeout(LATE_MS, Effect.succeed("now")), "now")
    assert.strictEqual(yield* withAnswerTimeout(LATE_MS, later), "later")
    assert.strictEqual(yield* Effect.flip(withAnswerTimeout(LATE_MS, Effect.fail("refused" as const))), "refused")
  })
)
