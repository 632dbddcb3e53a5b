import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keepFigures } from "./keepFigures.ts"

it.effect("figures that cannot be read any more are told for two minutes, also where the host's clock was set back meanwhile", () =>
  Effect.gen(function* () {
    let answers = true
    const figures = yield* keepFigures("1 minute", () => Effect.suspend(() => (answers ? Effect.succeed("figures") : Effect.fail("away"))))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(figures(), "figures")
    answers = false
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust("119 seconds")
    assert.strictEqual(figures(), "figures")
    yield* TestClock.adjust("2 seconds")
    assert.isUndefined(figures())
  }).pipe(Effect.scoped)
)
