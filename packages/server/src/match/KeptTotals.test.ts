import { assert, describe, it } from "@effect/vitest"
import { KeptTotals } from "./KeptTotals.ts"

const day = (n: number) => new Date(n * 86_400_000)
const none = { total: 0, first: null, last: null }

describe("KeptTotals", () => {
  it("counts everything once, then what was rated since", () => {
    const kept = new KeptTotals()
    assert.strictEqual(kept.after("a"), 0)
    const all = { total: 3, first: day(1), last: day(4) }
    assert.deepStrictEqual(kept.add("a", 0, { ...all, rated: 10, voided: 1 }), all)
    assert.strictEqual(kept.after("a"), 11)
    assert.strictEqual(kept.after("b"), 0)
    const later = kept.add("a", 11, { total: 2, first: day(6), last: day(7), rated: 15, voided: 1 })
    assert.deepStrictEqual(later, { total: 5, first: day(1), last: day(7) })
    assert.deepStrictEqual(kept.add("a", 16, { ...none, rated: 20, voided: 1 }), later)
    assert.strictEqual(kept.after("a"), 21)
  })

  it("counts everything again once a match was voided", () => {
    const kept = new KeptTotals()
    kept.add("a", 0, { total: 3, first: day(1), last: day(4), rated: 10, voided: 0 })
    assert.isUndefined(kept.add("a", 10, { ...none, rated: 9, voided: 1 }))
    assert.deepStrictEqual(kept.add("a", 0, { total: 2, first: day(1), last: day(3), rated: 9, voided: 1 })?.total, 2)
    assert.strictEqual(kept.after("a"), 10)
  })

  it("of two reads that counted the same matches one adds them", () => {
    const kept = new KeptTotals()
    kept.add("a", 0, { ...none, rated: 10, voided: 0 })
    const one = { total: 1, first: day(5), last: day(5), rated: 11, voided: 0 }
    assert.strictEqual(kept.add("a", 10, one)?.total, 1)
    assert.strictEqual(kept.add("a", 10, one)?.total, 1)
    assert.strictEqual(kept.after("a"), 11)
  })

  it("a first match that fits comes after none did", () => {
    const kept = new KeptTotals()
    kept.add("a", 0, { ...none, rated: 10, voided: 0 })
    const found = { total: 1, first: day(5), last: day(5) }
    assert.deepStrictEqual(kept.add("a", 10, { ...found, rated: 11, voided: 0 }), found)
  })
})
