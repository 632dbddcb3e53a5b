import { assert, describe, it } from "@effect/vitest"
import { draw, type Source } from "../season/Random.ts"
import { normal } from "./normal.ts"
import { fieldOf } from "./RankField.ts"
import { rankInterval } from "./RankInterval.ts"
import { type Rating, START } from "./Rating.ts"

const source: Source = { hash: 7, draws: 0 }
const random = () => draw(source)

const ladder = (entries: number, deviation: (i: number) => number): ReadonlyArray<Readonly<Rating>> =>
  Array.from({ length: entries }, (_, i) => ({ mu: 200 * normal(random), sigma: deviation(i) }))
const exactly = (ratings: ReadonlyArray<Readonly<Rating>>) => fieldOf(ratings.map(({ mu, sigma }) => ({ mu, sigma, entries: 1 })))

/** How far the chances of a rank may be from those of the drawn ratings. */
const NEAR = 0.008

/**
 * How often the drawn rank of each entry is below its interval, and how often above, when true
 * ratings are drawn many times.
 */
const missed = (ratings: ReadonlyArray<Readonly<Rating>>, draws: number) => {
  const field = exactly(ratings)
  const intervals = ratings.map((rating) => rankInterval(field, rating))
  const missed = ratings.map(() => ({ below: 0, above: 0 }))
  for (let n = 0; n < draws; n++) {
    const drawn = ratings.map(({ mu, sigma }) => mu + sigma * normal(random))
    const order = drawn.map((_, i) => i).sort((a, b) => drawn[b]! - drawn[a]!)
    for (const [i, entry] of order.entries()) {
      if (i + 1 < intervals[entry]!.low) missed[entry]!.below += 1 / draws
      if (i + 1 > intervals[entry]!.high) missed[entry]!.above += 1 / draws
    }
  }
  return missed
}

describe("the interval of a rank", () => {
  it("leaves out at most 2.5 % at each end, for every entry of ladders of all kinds: true ratings drawn from the beliefs", () => {
    for (const [entries, deviation] of [
      [12, () => 60],
      [100, (i: number) => 20 + i],
      [300, (i: number) => (i % 3 === 0 ? 200 : 30)]
    ] as const) {
      const shares = missed(ladder(entries, deviation), 4_000)
      for (const { above, below } of shares) {
        assert.isAtMost(below, 0.04, `${entries} entries`)
        assert.isAtMost(above, 0.04, `${entries} entries`)
      }
      if (entries > 50) {
        const both = shares.reduce((sum, { above, below }) => sum + above + below, 0) / entries
        assert.isAtLeast(both, 0.025, "no wider than it has to be")
      }
    }
  })

  it("of the second begins at 2 where the first is stronger for sure", () => {
    const ratings = [
      [1913, 31],
      [1695, 21],
      [1663, 21],
      [1662, 26],
      [1553, 21]
    ].map(([mu, sigma]) => ({ mu: mu!, sigma: sigma! }))
    const field = exactly(ratings)
    assert.deepStrictEqual(
      ratings.map((rating) => rankInterval(field, rating)),
      [
        { low: 1, high: 1 },
        { low: 2, high: 4 },
        { low: 2, high: 4 },
        { low: 2, high: 4 },
        { low: 5, high: 5 }
      ]
    )
  })

  it("has no rank too many or too few where few are in doubt: true ratings drawn from the beliefs", () => {
    const DRAWS = 40_000
    for (const ratings of [ladder(5, () => 60), ladder(12, (i) => 15 + 10 * i), ladder(8, (i) => (i % 4 === 0 ? 150 : 12))]) {
      const field = exactly(ratings)
      const drawn = Array.from({ length: DRAWS }, () => ratings.map(({ mu, sigma }) => mu + sigma * normal(random)))
      for (const [i, rating] of ratings.entries()) {
        const ranks = drawn.map((all) => 1 + all.filter((each) => each > all[i]!).length)
        const atMost = (rank: number) => ranks.filter((each) => each <= rank).length / DRAWS
        const { high, low } = rankInterval(field, rating)
        const place = `${i} of ${ratings.length}`
        assert.isAtLeast(atMost(low), 0.025 - NEAR, place)
        assert.isBelow(atMost(low - 1), 0.025 + NEAR, place)
        assert.isAtLeast(atMost(high), 0.975 - NEAR, place)
        assert.isBelow(atMost(high - 1), 0.975 + NEAR, place)
      }
    }
  })

  it("is the middle 95 % of the ladder for an entry of whom nothing is known, wherever its id puts it", () => {
    const field = fieldOf([{ ...START, entries: 1_000 }])
    const { high, low } = rankInterval(field, START)
    assert.closeTo(low, 25, 3)
    assert.closeTo(high, 976, 3)
  })

  it("is one rank where ratings are sure, and all of them where nothing separates a pair", () => {
    const sure = [300, 200, 100, 0].map((mu) => ({ mu, sigma: 5 }))
    assert.deepStrictEqual(
      sure.map((rating) => rankInterval(exactly(sure), rating)),
      [1, 2, 3, 4].map((rank) => ({ low: rank, high: rank }))
    )
    const pair = [START, START]
    assert.deepStrictEqual(rankInterval(exactly(pair), START), { low: 1, high: 2 })
    assert.deepStrictEqual(rankInterval(exactly([START]), START), { low: 1, high: 1 })
  })

  it("hardly changes where entries of nearly the same rating are counted as groups", () => {
    const ratings = ladder(5_000, (i) => 30 + (i % 50))
    const groups = new Map<string, Array<Readonly<Rating>>>()
    for (const rating of ratings) {
      const name = `${Math.floor(rating.mu / 8)} ${Math.floor(Math.log(rating.sigma) * 6)}`
      groups.set(name, [...(groups.get(name) ?? []), rating])
    }
    const mean = (all: ReadonlyArray<Readonly<Rating>>, of: "mu" | "sigma") => all.reduce((sum, each) => sum + each[of], 0) / all.length
    const grouped = fieldOf([...groups.values()].map((all) => ({ mu: mean(all, "mu"), sigma: mean(all, "sigma"), entries: all.length })))
    assert.isBelow(groups.size, 3_000)
    const exact = exactly(ratings)
    for (const rating of ratings.slice(0, 500)) {
      const [one, other] = [rankInterval(exact, rating), rankInterval(grouped, rating)]
      assert.closeTo(other.low, one.low, 3)
      assert.closeTo(other.high, one.high, 3)
    }
  })
})
