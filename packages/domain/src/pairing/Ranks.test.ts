import { assert, describe, it } from "@effect/vitest"
import { Ranks } from "./Ranks.ts"

describe("ranks", () => {
  it("name the place of a mean, one more than are rated higher by half a point or more", () => {
    let seed = 7
    const draw = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return seed / 4294967296
    }
    const ranks = new Ranks()
    const means: Array<number> = []
    for (let i = 0; i < 500; i++) {
      if (means.length > 0 && draw() < 0.4) ranks.remove(means.splice(Math.floor(draw() * means.length), 1)[0]!)
      else {
        const mean = Math.round(2000 * draw() - 1000) / 2 // on the steps, where places are exact
        means.push(mean)
        ranks.add(mean)
      }
      for (const mean of means.slice(0, 5)) assert.strictEqual(ranks.placeOf(mean), 1 + means.filter((other) => other > mean).length)
    }
  })
  it("share a place within half a point", () => {
    const ranks = new Ranks()
    for (const mean of [10.1, 10.3, 12]) ranks.add(mean)
    assert.deepStrictEqual(
      [10.1, 10.3, 12].map((mean) => ranks.placeOf(mean)),
      [2, 2, 1]
    )
  })
  it("count what lies beyond the scale at its edge", () => {
    const ranks = new Ranks()
    for (const mean of [-9000, -5000, 0, 5000, 9000]) ranks.add(mean)
    assert.deepStrictEqual(
      [-9000, 0, 9000].map((mean) => ranks.placeOf(mean)),
      [4, 3, 1]
    )
    ranks.remove(9000)
    assert.strictEqual(ranks.placeOf(0), 2)
  })
})
