import { assert, it } from "vitest"
import { nextUnit, SETTLED_MS } from "./unit.ts"

const MIDNIGHT = Date.parse("2026-03-02T00:00:00Z")
const before = { day: null, part: null, last: null, match_day: "2026-03-01", void_day: null }
const at = (ms: number) => nextUnit(before, MIDNIGHT + ms)

it("a day comes up a quarter of an hour after its end, since commits of its last matches may take a while", () => {
  assert.strictEqual(SETTLED_MS, 900_000)
  assert.deepStrictEqual([at(0), at(SETTLED_MS - 1)], [undefined, undefined])
  assert.deepStrictEqual(at(SETTLED_MS), { day: "2026-03-01", part: 1, until: new Date(MIDNIGHT) })
})
