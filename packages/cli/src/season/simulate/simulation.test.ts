import { assert, describe, it } from "@effect/vitest"
import { FIELDS, type FieldOptions, makeField } from "./Field.ts"
import { measure, tauOf } from "./measure.ts"
import { looksOf, PAIRINGS, playSeason, summarize } from "./simulation.ts"
import { plotOf, tableOf } from "./table.ts"

const options = (over: Partial<FieldOptions> = {}): FieldOptions => ({
  entries: 20,
  games: 12,
  seats: 2,
  field: "static",
  draws: 0,
  ...over
})
const still = () => 0

describe("a field", () => {
  it("is the same for the same seed", () => {
    assert.deepStrictEqual(makeField(options(), 3).strengths, makeField(options(), 3).strengths)
    assert.notDeepEqual(makeField(options(), 3).strengths, makeField(options(), 4).strengths)
  })
  it("has strengths drawn from N(0, 200)", () => {
    const { strengths } = makeField(options({ entries: 20_000 }), 1)
    const mean = strengths.reduce((a, b) => a + b) / strengths.length
    const deviation = Math.sqrt(strengths.reduce((sum, s) => sum + (s - mean) ** 2, 0) / strengths.length)
    assert.closeTo(mean, 0, 5)
    assert.closeTo(deviation, 200, 5)
  })
  it("has the same strengths for the same seed with another spread, only further apart", () => {
    const [usual, wide] = [makeField(options(), 3), makeField(options({ spread: 400 }), 3)]
    assert.deepStrictEqual(
      wide.strengths.map((strength) => strength / 2),
      usual.strengths
    )
  })
  it("gives the stronger one 10 of 11 points at a difference of 400, whatever the share of draws", () => {
    for (const draws of [0, 0.2, 0.9]) {
      const field = makeField(options({ draws }), 1)
      field.strengths.splice(0, 3, 400, 0, 0)
      const points = [0, 0]
      let drawn = 0
      for (let i = 0; i < 20_000; i++) {
        const { scores } = field.play([0, 1])
        points[scores[0]! > scores[1]! ? 0 : 1]! += scores[0] === scores[1] ? 0 : 1
        if (scores[0] === scores[1]) for (const seat of [0, 1]) points[seat]! += 0.5
        const equal = field.play([1, 2]).scores
        if (equal[0] === equal[1]) drawn++
      }
      assert.closeTo(points[0]! / 20_000, 10 / 11, 0.01)
      assert.closeTo(drawn / 20_000, draws, 0.015)
    }
  })
  it("plays larger matches by the same strengths: the strongest of four wins in proportion to its share", () => {
    const field = makeField(options(), 1)
    field.strengths.splice(0, 4, 200, 0, 0, -200)
    const share = (elo: number) => 10 ** (elo / 400)
    const want = share(200) / (share(200) + 2 + share(-200))
    let won = 0
    for (let i = 0; i < 20_000; i++) if (field.play([3, 1, 0, 2]).scores[2] === 4) won++
    assert.closeTo(won / 20_000, want, 0.015)
  })
  it("renews each entry once on average, in the fields improving and replaced only", () => {
    for (const field of FIELDS) {
      const made = makeField(options({ field }), 1)
      let renewed = 0
      for (let n = 1; n <= 120; n++) if (made.renewed(n) !== undefined) renewed++
      assert.strictEqual(renewed, field === "improving" || field === "replaced" ? 20 : 0)
    }
  })
})

describe("measures", () => {
  it("count pairs in order less pairs out of order, and ties for neither", () => {
    assert.strictEqual(tauOf([1, 2, 3, 4], [10, 20, 30, 40]), 1)
    assert.strictEqual(tauOf([4, 3, 2, 1], [10, 20, 30, 40]), -1)
    assert.closeTo(tauOf([1, 3, 2, 4], [10, 20, 30, 40]), 4 / 6, 1e-12)
    assert.closeTo(tauOf([1, 1, 2], [10, 20, 30]), 2 / 3, 1e-12)
    assert.strictEqual(tauOf([0, 0, 0], [1, 2, 3]), 0)
  })
  it("agree with counting every pair", () => {
    const field = makeField(options({ entries: 60 }), 2)
    const means = field.strengths.map((strength, i) => Math.round(strength / 40 + ((i * 7) % 5)))
    let sum = 0
    for (let i = 0; i < 60; i++)
      for (let j = 0; j < i; j++) sum += Math.sign(means[i]! - means[j]!) * Math.sign(field.strengths[i]! - field.strengths[j]!)
    assert.closeTo(tauOf(means, field.strengths), sum / 1770, 1e-12)
  })
  it("compare differences only, and count how often the true strength lies within the deviations", () => {
    const ratings = [0, 30, 0, 0].map((mu) => ({ mu: mu + 500, sigma: 10 }))
    const { coverage_1s, coverage_2s, rmse } = measure(ratings, [0, 0, 0, 0])
    assert.closeTo(rmse, Math.sqrt((22.5 ** 2 + 3 * 7.5 ** 2) / 4), 1e-9)
    assert.strictEqual(coverage_1s, 0.75)
    assert.strictEqual(coverage_2s, 0.75)
  })
})

describe("a simulated season", () => {
  it("has the true ranks of 95 % of its entries within the intervals that the ladder shows, early and late", () => {
    const seasons = [1, 2, 3, 4, 5, 6].map((seed) => playSeason("agon", options({ entries: 100, games: 40 }), seed, still))
    for (const [i, games] of [10, 20, 40].entries()) {
      const share = seasons.reduce((sum, { looks }) => sum + looks[i]!.rank_coverage, 0) / seasons.length
      assert.closeTo(share, 0.95, 0.035, `after ${games} games`)
    }
  })
  it("gives every entry the requested games, whatever the pairing, seats or field", () => {
    for (const name of PAIRINGS)
      for (const seats of [2, 4])
        for (const field of FIELDS) {
          const { looks, starved } = playSeason(name, options({ seats, field, entries: 24 }), 1, still)
          assert.deepStrictEqual(
            looks.map(({ games }) => games),
            [10, 12]
          )
          assert.isAbove(looks[1]!.tau, field === "replaced" ? 0.05 : 0.25, `${name}, ${seats} seats, ${field}`)
          if (name !== "katago" && name !== "halite") assert.strictEqual(starved, 0, `${name}, ${seats} seats, ${field}`)
        }
  })
  it("is the same to the last bit when it is played again", () => {
    for (const name of PAIRINGS) {
      assert.deepStrictEqual(playSeason(name, options({ draws: 0.2 }), 5, still), playSeason(name, options({ draws: 0.2 }), 5, still))
    }
  })
  it("works in the smallest fields", () => {
    for (const name of PAIRINGS)
      for (const entries of [2, 3, 5]) {
        assert.isAtMost(playSeason(name, options({ entries, games: 8 }), 1, still).looks[0]!.rmse, 400, `${name}, ${entries} entries`)
      }
  })
  it("is measured after 10, 20, 40 and 80 games and at its end", () => {
    assert.deepStrictEqual(looksOf(80), [10, 20, 40, 80])
    assert.deepStrictEqual(looksOf(50), [10, 20, 40, 50])
    assert.deepStrictEqual(looksOf(5), [5])
  })
  it("is printed as a table and a plot", () => {
    const summaries = ["agon", "random"].map((name) => summarize(name, [playSeason(name, options(), 1, still)]))
    const table = tableOf(summaries).split("\n")
    assert.strictEqual(table.length, 3)
    assert.match(table[0]!, /^pairing +tau@10 +tau@12 +rmse@10 +rmse@12 +1s +2s +rank +spread +starved +us\/match$/)
    assert.match(table[1]!, /^agon/)
    const plot = plotOf(summaries)
    for (const mark of ["A agon", "B random", "10", "12"]) assert.include(plot, mark)
    assert.strictEqual(plot.match(/A/g)!.length, 3) // a mark for each look, and the legend's
  })
})
