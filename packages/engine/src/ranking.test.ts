import { assert, describe, it } from "vitest"
import { ranksOf } from "./ranking.ts"

describe("ranksOf", () => {
  it("gives equal scores one rank and skips the places they take", () => {
    assert.deepStrictEqual(ranksOf([30, 20, 20, 10], [false, false, false, false]), [1, 2, 2, 4])
    assert.deepStrictEqual(ranksOf([5, 5], [false, false]), [1, 1])
  })

  it("puts forfeits after all others, and among themselves by score", () => {
    assert.deepStrictEqual(ranksOf([90, 10, 95, 90], [true, false, true, true]), [3, 1, 2, 3])
  })
})
