import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as HostClock from "../../../../test/support/HostClock.ts"
import { inBatches } from "./Batches.ts"

it.effect("batches pause for as long as each took, though the host's clock is set an hour forward while one runs", () =>
  Effect.gen(function* () {
    const host = yield* HostClock.make
    let batches = 0
    const batch = Effect.suspend(() => {
      batches++
      if (batches === 1) host.ahead_ms += 3_600_000
      return Effect.as(Effect.sleep("100 millis"), batches < 3 ? 1 : 0)
    })
    const all = yield* Effect.forkChild(
      Effect.provideService(
        inBatches(() => batch),
        Clock.Clock,
        host.clock
      )
    )
    yield* TestClock.adjust("200 millis")
    assert.strictEqual(batches, 2)
    yield* TestClock.adjust("300 millis")
    assert.isDefined(all.pollUnsafe())
  })
)
