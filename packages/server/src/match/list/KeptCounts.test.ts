import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { KeptCounts } from "./KeptCounts.ts"

const sums = () => new KeptCounts<number>({ join: (before, later) => before + later, most: 2 })

describe("what is kept of counting", () => {
  it("is everything once, then what was rated since", () => {
    const kept = sums()
    assert.strictEqual(kept.after("a"), 0)
    assert.strictEqual(kept.add("a", 0, { found: 3, rated: 10, voided: 1 }), 3)
    assert.strictEqual(kept.after("a"), 11)
    assert.strictEqual(kept.after("b"), 0)
    assert.strictEqual(kept.add("a", 11, { found: 2, rated: 15, voided: 1 }), 5)
    assert.strictEqual(kept.add("a", 16, { found: 0, rated: 20, voided: 1 }), 5)
    assert.strictEqual(kept.after("a"), 21)
  })

  it("is nothing any more once a match was voided", () => {
    const kept = sums()
    kept.add("a", 0, { found: 3, rated: 10, voided: 0 })
    assert.isUndefined(kept.add("a", 10, { found: 0, rated: 9, voided: 1 }))
    assert.strictEqual(kept.add("a", 0, { found: 2, rated: 9, voided: 1 }), 2)
    assert.strictEqual(kept.after("a"), 10)
  })

  it("has what two reads counted at one time but once", () => {
    const kept = sums()
    kept.add("a", 0, { found: 0, rated: 10, voided: 0 })
    const one = { found: 1, rated: 11, voided: 0 }
    assert.strictEqual(kept.add("a", 10, one), 1)
    assert.strictEqual(kept.add("a", 10, one), 1)
    assert.strictEqual(kept.after("a"), 11)
  })

  it("is so much and no more: the sum that was brought up to date longest ago leaves", () => {
    const kept = sums()
    for (const name of ["a", "b", "a", "c"]) kept.add(name, kept.after(name), { found: 1, rated: kept.after(name) + 1, voided: 0 })
    assert.deepStrictEqual(
      ["a", "b", "c"].map((name) => kept.after(name)),
      [2, 0, 1]
    )
  })

  it.effect("is read by counting the rest, and by counting all where a match was voided", () =>
    Effect.gen(function* () {
      const kept = sums()
      const asked: Array<number> = []
      const season = { matches: [1, 1, 1], voided: 0 }
      let whole_n = 0
      const count = (after: number) =>
        Effect.sync(() => {
          asked.push(after)
          return {
            found: season.matches.slice(after).reduce((sum, n) => sum + n, 0),
            rated: season.matches.length - season.voided,
            voided: season.voided
          }
        })
      const read = kept.read("a", count, (keep) =>
        Effect.andThen(
          Effect.sync(() => whole_n++),
          keep(count(0))
        )
      )
      assert.strictEqual(yield* read, 3)
      season.matches.push(1)
      assert.strictEqual(yield* read, 4)
      Object.assign(season, { matches: [1, 0, 1, 1], voided: 1 })
      assert.strictEqual(yield* read, 3)
      assert.deepStrictEqual([asked, whole_n], [[0, 3, 4, 0], 2])
    })
  )
})
