/** Which lists of a season are kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { filterOf, isScattered, makeTotals } from "./listCaches.ts"
import type { Asked, Fitting } from "./listing.ts"

const OF = 1_000_000
const fitting = (total: number): Fitting => ({ total, of: OF, span: OF, first: null, last: null })
const asked = (sort: Asked["sort"], cursor = 0) => ({
  season_id: "s",
  game: null,
  viewer: null,
  query: { sort, limit: 25, cursor } as Asked
})

describe("lists of a season", () => {
  it("are kept where few matches fit, or where they are looked up for their order", () => {
    assert.isTrue(isScattered(fitting(1_000), asked("newest")))
    assert.isFalse(isScattered(fitting(OF / 10), asked("newest")))
    assert.isTrue(isScattered(fitting(OF / 10), asked("longest")))
    assert.isFalse(isScattered(fitting(1_000), asked("newest", 500)))
  })

  it("are kept by their comments, which come at any time, where the newest have to be looked for", () => {
    assert.isTrue(isScattered(fitting(0), asked("discussed")))
    assert.isTrue(isScattered(fitting(1_000), asked("discussed", 100)))
    assert.isFalse(isScattered(fitting(OF / 10), asked("discussed")))
    assert.isFalse(isScattered(fitting(1_000), asked("discussed", 500)))
  })
})

describe("the totals of a season", () => {
  it.effect("span all that was counted, though a clock was ahead and later matches end before", () =>
    Effect.gen(function* () {
      const day = (n: number) => new Date(Date.UTC(2026, 10, n))
      const counts = [
        { found: { total: 3, first: day(2), last: day(20) }, rated: 3, voided: 0 },
        { found: { total: 2, first: day(1), last: day(3) }, rated: 5, voided: 0 },
        { found: { total: 0, first: null, last: null }, rated: 5, voided: 0 }
      ]
      const queries = { countOfSeason: () => Effect.sync(() => counts.shift()!) } as unknown as Parameters<typeof makeTotals>[0]
      const totals = makeTotals(queries, (_, count) => count)
      const listing = { ...asked("newest"), query: { ...asked("newest").query, since: "2026-11-01T00:00:00Z" } as unknown as Asked }
      const read = totals(listing, 5)
      yield* read
      const all = { total: 5, first: day(1), last: day(20) }
      assert.deepStrictEqual([yield* read, yield* read], [all, all])
    })
  )
})

describe("the name of a filter", () => {
  const named = (query: Partial<Asked>) => filterOf({ season_id: "s", query: { ...asked("newest").query, ...query } })

  it("is the same for all pages and orders of a list", () => {
    assert.strictEqual(named({ map: "a", owner: "b" }), named({ owner: "b", map: "a", sort: "longest", cursor: 50 }))
    assert.notStrictEqual(named({ map: "a" }), named({ owner: "a" }))
  })

  it("is short, however long what it names, and another for each", () => {
    const long = "x".repeat(15_000)
    assert.isAtMost(named({ map: long }).length, 256)
    assert.strictEqual(named({ map: long }), named({ map: long }))
    assert.notStrictEqual(named({ map: long }), named({ map: `${long}y` }))
  })
})
