/** Which lists of a season are kept. */
import { assert, describe, it } from "@effect/vitest"
import { filterOf, isScattered } from "./listCaches.ts"
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
