/** Which lists of a season are kept. */
import { assert, describe, it } from "@effect/vitest"
import { isScattered } from "./keptMatches.ts"
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

  it("are kept by their comments, which come at any time, only where all that fit are kept", () => {
    assert.isTrue(isScattered(fitting(0), asked("discussed")))
    assert.isTrue(isScattered(fitting(127), asked("discussed", 100)))
    assert.isFalse(isScattered(fitting(128), asked("discussed")))
  })
})
