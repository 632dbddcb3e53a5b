import { assert, describe, it } from "@effect/vitest"
import { withTimes } from "./instants.ts"

describe("sentences of the API", () => {
  it("tell their times as the pages do, and no earlier", () => {
    assert.strictEqual(withTimes("You may submit again at 2026-11-23T23:09:37.757Z."), "You may submit again at 23 Nov 2026, 23:09:38 UTC.")
    assert.strictEqual(withTimes("From 2026-12-31T23:59:59.001Z on"), "From 1 Jan 2027, 00:00:00 UTC on")
    assert.strictEqual(withTimes("At 2026-01-01T00:00:00Z, 2026-01-02"), "At 1 Jan 2026, 00:00:00 UTC, 2026-01-02")
    assert.strictEqual(withTimes("At 2026-99-01T00:00:00Z"), "At 2026-99-01T00:00:00Z")
  })
})
