import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { keepDelivering, SLOW_AFTER_MS } from "./outbox.ts"

const SILENT_MS = 10_000

/** Deliveries to receivers that say nothing, and after them one that is answered at once. */
const begin = Effect.fnUntraced(function* (silent: number, slowMost: number) {
  const due = [...Array.from({ length: silent }, () => SILENT_MS), 0]
  const seen = { now: 0, most: 0, answered_ms: Number.POSITIVE_INFINITY }
  const began_ms = yield* Clock.currentTimeMillis
  const deliver = Effect.fnUntraced(function* (takes_ms: number) {
    seen.most = Math.max(seen.most, ++seen.now)
    yield* Effect.sleep(takes_ms)
    seen.now--
    if (takes_ms === 0) seen.answered_ms = (yield* Clock.currentTimeMillis) - began_ms
  })
  yield* keepDelivering(
    "posts",
    { take: (limit) => Effect.sync(() => due.splice(0, limit)), deliver },
    { most: 16, slowMost, timeout: 60_000 }
  )
  return seen
})

it.effect("keeps a receiver that answers waiting for a second for each sixteen silent ones, however many they are", () =>
  Effect.gen(function* () {
    const seen = yield* begin(160, 240)
    for (let n = 0; n < 200; n++) yield* TestClock.adjust(100)
    assert.isAtMost(seen.answered_ms, 10 * SLOW_AFTER_MS + 1_000)
    assert.strictEqual(seen.now, 0)
    assert.isAtLeast(seen.most, 160)
  })
)

it.effect("has no more of them at once than it may, and their places again when they end", () =>
  Effect.gen(function* () {
    const seen = yield* begin(200, 24)
    for (let n = 0; n < 800; n++) yield* TestClock.adjust(100)
    assert.strictEqual(seen.most, 16 + 24)
    assert.isAtMost(seen.answered_ms, (200 / 40) * SILENT_MS + 10_000)
    assert.strictEqual(seen.now, 0)
  })
)

it.effect("lets none leave its place where no slow ones are allowed beside the others", () =>
  Effect.gen(function* () {
    const seen = yield* begin(32, 0)
    for (let n = 0; n < 300; n++) yield* TestClock.adjust(100)
    assert.strictEqual(seen.most, 16)
    assert.isAtLeast(seen.answered_ms, 2 * SILENT_MS)
  })
)
