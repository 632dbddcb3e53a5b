import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import { assert, describe, it } from "@effect/vitest"
import { estimate, NO_PAIRS, type Pentanomial, pairsIn, test, withPair } from "./Comparison.ts"

const HYPOTHESES = { elo0: 0, elo1: 30 }
const reversed = (pairs: Pentanomial) => [...pairs].reverse() as unknown as Pentanomial

/**
 * Points in half points of a pair whose matches are drawn by the generator, at an Elo
 * difference, with a third of draws.
 */
const draw = (random: Mulberry32, elo: number): number => {
  const score = 1 / (1 + 10 ** (-elo / 400))
  const match = () => {
    const at = random.next() / 2 ** 32
    return at < score - 1 / 6 ? 2 : at < score + 1 / 6 ? 1 : 0
  }
  return match() + match()
}

describe("comparison of two models", () => {
  it("estimates a mean of one half as no difference, and the same difference from both sides", () => {
    const even = estimate([10, 20, 40, 20, 10])
    assert.deepStrictEqual([even.score, even.elo], [0.5, 0])
    assert.closeTo(even.low, -even.high, 1e-9)
    const [one, other] = [estimate([3, 10, 40, 30, 17]), estimate(reversed([3, 10, 40, 30, 17]))]
    assert.closeTo(one.elo, -other.elo, 1e-9)
    assert.closeTo(one.low, -other.high, 1e-6)
    assert.isTrue(one.low < one.elo && one.elo < one.high)
  })

  it("gives, for many pairs, the interval of the normal approximation", () => {
    const pairs: Pentanomial = [100, 600, 2000, 1000, 300]
    const { high, low, score } = estimate(pairs)
    const variance = pairs.reduce((sum, count, index) => sum + count * (index / 4 - score) ** 2, 0) / pairsIn(pairs)
    const half = 1.959964 * Math.sqrt(variance / pairsIn(pairs))
    const elo = (at: number) => 400 * Math.log10(at / (1 - at))
    assert.closeTo(low, elo(score - half), 0.1)
    assert.closeTo(high, elo(score + half), 0.1)
  })

  it("leaves the interval open where one model has all the points, and closes its other end as many pairs allow", () => {
    const [few, many] = [estimate([0, 0, 0, 0, 5]), estimate([0, 0, 0, 0, 50])]
    assert.deepStrictEqual([few.elo, few.high, many.high], [Infinity, Infinity, Infinity])
    assert.isTrue(few.low > 0 && few.low < many.low && Number.isFinite(many.low))
    assert.deepStrictEqual(
      [estimate([5, 0, 0, 0, 0]).low, estimate([5, 0, 0, 0, 0]).high].map((bound) => bound < 0),
      [true, true]
    )
  })

  it("has for small differences the likelihood ratio of the normal approximation, and the opposite one from the other side", () => {
    const pairs: Pentanomial = [200, 900, 1800, 1000, 250]
    const { score } = estimate(pairs)
    const total = pairsIn(pairs)
    const variance = pairs.reduce((sum, count, index) => sum + count * (index / 4 - score) ** 2, 0) / total
    const [s0, s1] = [0, 5].map((elo) => 1 / (1 + 10 ** (-elo / 400))) as [number, number]
    const { llr } = test(pairs, { elo0: 0, elo1: 5 })
    assert.closeTo(llr, (total * (s1 - s0) * (2 * score - s0 - s1)) / (2 * variance), 0.02)
    assert.closeTo(test(reversed(pairs), { elo0: 0, elo1: -5 }).llr, llr, 1e-6)
  })

  it("decides a sequence wrongly about as seldom as it promises, and mostly long before its end", () => {
    const random = new Mulberry32(20_261_122)
    const sequences = 150
    const run = (elo: number) => {
      let pairs = NO_PAIRS
      for (;;) {
        pairs = withPair(pairs, draw(random, elo))
        const { decision } = test(pairs, HYPOTHESES)
        if (decision !== "undecided") return { decision, pairs: pairsIn(pairs) }
      }
    }
    for (const [elo, wrong] of [
      [HYPOTHESES.elo0, "H1"],
      [HYPOTHESES.elo1, "H0"]
    ] as const) {
      const ended = Array.from({ length: sequences }, () => run(elo))
      // Of 150 sequences 7.5 go wrong at an error of 5 %; 16 or more would happen once in 300 such tests,
      // and these draws never change.
      assert.isBelow(ended.filter(({ decision }) => decision === wrong).length, 16)
      assert.isBelow(ended.reduce((sum, { pairs }) => sum + pairs, 0) / sequences, 700)
    }
  })
})
