import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as HostClock from "../../../../test/support/HostClock.ts"
import { Standstill } from "./Standstill.ts"

it.effect("a process that stood still knows for how long, at once and ever after, and one that went on knows of nothing", () =>
  Effect.gen(function* () {
    const host = yield* HostClock.make
    const context = yield* Layer.build(Standstill.layer).pipe(Effect.provideService(Clock.Clock, host.clock))
    const total_ms = Effect.map(Effect.provide(Standstill, context), (standing) => standing.total_ms())
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* total_ms, 0)
    host.ahead_ms = 40_000
    assert.strictEqual(yield* total_ms, 40_000)
    yield* TestClock.adjust("1 minute")
    host.ahead_ms -= 3_600_000
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* total_ms, 40_000, "nor one whose clock was set back")
    host.ahead_ms += 60_000
    yield* TestClock.adjust("1 minute")
    assert.closeTo(yield* total_ms, 100_000, 1_000)
  })
)
