import { assert, describe, it } from "@effect/vitest"
import { expected, isProvisional, type Rating, rated, START, takenOver } from "./Rating.ts"

const S = 400 / Math.LN10
const rating = (mu: number, sigma: number): Rating => ({ mu, sigma })
const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)
const close = (got: number, want: number, tolerance = 1e-9) => assert.closeTo(got, want, tolerance)

/**
 * Both strengths after a result, by summing prior times likelihood over a grid of 61 by 61 points out to 6.5 deviations
 * of each; a draw is half a win and half a loss. It shares no formula with what it checks but the logistic itself.
 */
const posterior = ([a, b]: readonly [Rating, Rating], y: number): ReadonlyArray<Rating> => {
  const [half, reach] = [30, 6.5]
  const sums = { all: 0, a: 0, b: 0, aa: 0, bb: 0 }
  for (let i = -half; i <= half; i++) {
    for (let j = -half; j <= half; j++) {
      const [u, v] = [(reach * i) / half, (reach * j) / half]
      const [x, z] = [a.mu + a.sigma * u, b.mu + b.sigma * v]
      const p = 1 / (1 + 10 ** ((z - x) / 400))
      const weight = Math.exp(-(u * u + v * v) / 2) * p ** y * (1 - p) ** (1 - y)
      sums.all += weight
      sums.a += weight * x
      sums.b += weight * z
      sums.aa += weight * x * x
      sums.bb += weight * z * z
    }
  }
  const moments = (first: number, second: number) => rating(first / sums.all, Math.sqrt(second / sums.all - (first / sums.all) ** 2))
  return [moments(sums.a, sums.aa), moments(sums.b, sums.bb)]
}

/** A small generator of cases; the seed is in the message of what fails. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 4294967296
}
const CASES = 300
const forAll = (holds: (draw: () => number) => void) => {
  for (let seed = 1; seed <= CASES; seed++) {
    try {
      holds(random(seed))
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    }
  }
}
const drawnRating = (draw: () => number) => rating(1200 * draw() - 600, 20 + 250 * draw())
const drawnMatch = (draw: () => number, seats = 2 + Math.floor(7 * draw())) => {
  const match = Array.from({ length: seats }, () => drawnRating(draw))
  const scores = match.map(() => Math.floor(draw() * seats))
  return { match, ranks: scores.map((score) => 1 + scores.filter((other) => other > score).length) }
}

describe("two seats against the posterior, integrated over a grid of both strengths", () => {
  const deviations = [30, 60, 100, 150, 200]
  const differences = [-600, -400, -200, -100, 0, 100, 200, 400, 600]
  const outcomes = [
    { y: 0, ranks: [2, 1] },
    { y: 0.5, ranks: [1, 1] },
    { y: 1, ranks: [1, 2] }
  ]
  /**
   * Worst error of the mean in posterior deviations, and of the deviation as a share, over matches
   * of up to so much uncertainty.
   */
  const worst = (sigma_max: number) => {
    const within = deviations.filter((sigma) => sigma <= sigma_max)
    const error = { mean: 0, deviation: 0 }
    for (const s1 of within)
      for (const s2 of within)
        for (const difference of differences)
          for (const { ranks, y } of outcomes) {
            const match = [rating(difference, s1), rating(0, s2)] as const
            const want = posterior(match, y)
            rated(match, ranks).forEach((got, i) => {
              error.mean = Math.max(error.mean, Math.abs(got.mu - want[i]!.mu) / want[i]!.sigma)
              error.deviation = Math.max(error.deviation, Math.abs(got.sigma / want[i]!.sigma - 1))
            })
          }
    return error
  }
  it("agrees within 2% of a deviation in the mean and 0.2% in the deviation, for deviations up to 60", () => {
    const { deviation, mean } = worst(60)
    assert.isBelow(mean, 0.02)
    assert.isBelow(deviation, 0.002)
  })
  it("agrees within 5% and 1%, for deviations up to 100", () => {
    const { deviation, mean } = worst(100)
    assert.isBelow(mean, 0.05)
    assert.isBelow(deviation, 0.01)
  })
  it("agrees within 15% and 5% even for newcomers, 600 points apart, whatever the outcome", () => {
    const { deviation, mean } = worst(200)
    assert.isBelow(mean, 0.15)
    assert.isBelow(deviation, 0.05)
  })
})

describe("two seats", () => {
  it("are rated by the published line", () => {
    forAll((draw) => {
      const [a, b] = [drawnRating(draw), drawnRating(draw)]
      const y = Math.floor(3 * draw()) / 2
      const c = Math.sqrt(S ** 2 + (Math.PI / 8) * (a.sigma ** 2 + b.sigma ** 2))
      const p = 1 / (1 + Math.exp(-(a.mu - b.mu) / c))
      const [after_a, after_b] = rated([a, b], y === 1 ? [1, 2] : y === 0 ? [2, 1] : [1, 1])
      close(after_a!.mu, a.mu + (a.sigma ** 2 * (y - p)) / c)
      close(after_b!.mu, b.mu - (b.sigma ** 2 * (y - p)) / c)
      close(after_a!.sigma, a.sigma * Math.sqrt(1 - (a.sigma ** 2 * p * (1 - p)) / c ** 2))
      close(after_b!.sigma, b.sigma * Math.sqrt(1 - (b.sigma ** 2 * p * (1 - p)) / c ** 2))
      close(expected(a, b), p)
    })
  })
  it("expect results that sum to one, and 10 to 1 at 400 points where nothing is uncertain", () => {
    forAll((draw) => {
      const [a, b] = [drawnRating(draw), drawnRating(draw)]
      close(expected(a, b) + expected(b, a), 1)
    })
    close(expected(rating(400, 0), rating(0, 0)), 10 / 11)
  })
  it("move nobody who is equal and draws, and bring those who draw together otherwise", () => {
    const equal = rated([rating(50, 90), rating(50, 30)], [1, 1])
    assert.deepStrictEqual(
      equal.map(({ mu }) => mu),
      [50, 50]
    )
    const [better, worse] = rated([rating(100, 90), rating(0, 90)], [1, 1])
    assert.isBelow(better!.mu, 100)
    assert.isAbove(worse!.mu, 0)
  })
  it("make 15 games between equals of the deviation of a version that takes over", () => {
    let sigma = START.sigma
    let games = 0
    for (; sigma > 100; games++) sigma = rated([rating(0, sigma), rating(0, sigma)], [1, 2])[0]!.sigma
    assert.isAtLeast(games, 13)
    assert.isAtMost(games, 17)
  })
})

describe("any number of seats", () => {
  it("do not depend on the order of the seats", () => {
    forAll((draw) => {
      const { match, ranks } = drawnMatch(draw)
      const order = match.map((_, i) => ({ i, lot: draw() })).sort((a, b) => a.lot - b.lot)
      const straight = rated(match, ranks)
      const turned = rated(
        order.map(({ i }) => match[i]!),
        order.map(({ i }) => ranks[i]!)
      )
      order.forEach(({ i }, at) => {
        close(turned[at]!.mu, straight[i]!.mu)
        close(turned[at]!.sigma, straight[i]!.sigma)
      })
    })
  })
  it("depend on differences of means and on the order of ranks only", () => {
    forAll((draw) => {
      const { match, ranks } = drawnMatch(draw)
      const shift = 5000 * draw() - 2500
      const straight = rated(match, ranks)
      const shifted = rated(
        match.map(({ mu, sigma }) => rating(mu + shift, sigma)),
        ranks.map((rank) => 10 * rank - 3)
      )
      straight.forEach(({ mu, sigma }, i) => {
        close(shifted[i]!.mu - shift, mu, 1e-7)
        close(shifted[i]!.sigma, sigma, 1e-7)
      })
    })
  })
  it("give what they take, weighed by certainty", () => {
    forAll((draw) => {
      const { match, ranks } = drawnMatch(draw)
      close(sum(rated(match, ranks).map(({ mu }, i) => (mu - match[i]!.mu) / match[i]!.sigma ** 2)), 0)
    })
  })
  it("never cost the sole winner, nor pay the sole last", () => {
    forAll((draw) => {
      const { match } = drawnMatch(draw)
      const middle = Math.floor(match.length / 2)
      const after = rated(
        match,
        match.map((_, i) => (i === 0 ? 1 : i === match.length - 1 ? match.length : Math.min(middle, i) + 1))
      )
      assert.isAtLeast(after[0]!.mu, match[0]!.mu)
      assert.isAtMost(after.at(-1)!.mu, match.at(-1)!.mu)
    })
  })
  it("pay more for a better place, all else being equal", () => {
    for (let seats = 2; seats <= 8; seats++) {
      const after = rated(
        Array.from({ length: seats }, () => START),
        Array.from({ length: seats }, (_, i) => i + 1)
      )
      after.slice(1).forEach(({ mu }, i) => assert.isBelow(mu, after[i]!.mu))
    }
  })
  it("leave equals where they were when all tie, and surer", () => {
    for (let seats = 2; seats <= 8; seats++) {
      for (const { mu, sigma } of rated(
        Array.from({ length: seats }, () => rating(7, 120)),
        Array.from({ length: seats }, () => 1)
      )) {
        close(mu, 7)
        assert.isBelow(sigma, 120)
      }
    }
  })
  it("never make anybody less sure, nor by more than the floor at once", () => {
    forAll((draw) => {
      const { match, ranks } = drawnMatch(draw)
      rated(match, ranks).forEach(({ sigma }, i) => {
        assert.isAtMost(sigma, match[i]!.sigma)
        assert.isAtLeast(sigma, match[i]!.sigma * Math.sqrt(0.05) - 1e-9)
      })
    })
    const crowd = [rating(0, 3000), ...Array.from({ length: 7 }, () => rating(0, 1))]
    const ranks = [8, 1, 2, 3, 4, 5, 6, 7]
    close(rated(crowd, ranks)[0]!.sigma, 3000 * Math.sqrt(0.05)) // where the step would go below zero
  })
  it("stay finite where strengths lie thousands of points apart", () => {
    for (const { mu, sigma } of rated([rating(40_000, 10), rating(-40_000, 200), rating(0, 200), rating(0, 0)], [4, 1, 2, 2])) {
      assert.isTrue(Number.isFinite(mu))
      assert.isTrue(Number.isFinite(sigma))
    }
  })
  it("stay finite where all means lie a million points from zero", () => {
    for (const { mu, sigma } of rated([rating(1e6, 100), rating(1e6 - 50, 100)], [1, 2])) {
      assert.closeTo(mu, 1e6, 200)
      assert.isBelow(sigma, 100)
    }
  })
  it("leave what was given as it was", () => {
    const match = [rating(0, 200), rating(10, 100)]
    rated(match, [1, 2])
    assert.deepStrictEqual(match, [rating(0, 200), rating(10, 100)])
  })
})

describe("a version that takes over", () => {
  it("keeps the mean and is at least so unsure as 100 points, and no surer than what it follows", () => {
    assert.deepStrictEqual(takenOver(rating(321, 40)), rating(321, 100))
    assert.deepStrictEqual(takenOver(rating(-5, 150)), rating(-5, 150))
  })
})

describe("provisional", () => {
  it("is a rating of few matches or of a deviation over 100", () => {
    assert.isTrue(isProvisional(rating(0, 101), 50, 10))
    assert.isTrue(isProvisional(rating(0, 60), 9, 10))
    assert.isFalse(isProvisional(rating(0, 100), 10, 10))
  })
})
