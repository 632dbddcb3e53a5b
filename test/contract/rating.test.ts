/**
 * The rating against openskill 5, which knows the same Plackett-Luce update with ties under another scale:
 * its c^2 is k (mean of the variances + beta^2), ours S^2 + (pi/8) min(k, 4) (mean of the variances). With
 * gamma 1, no drift, our floor as kappa, and beta chosen for each match so that both c are the same number,
 * the two must agree to the last digits: means, deviations, ties, any order of seats. Not compared are
 * c itself, which is ours, and matches so uncertain that no real beta makes openskill's c as small as ours (a
 * mean deviation over 157 points with two seats, 111 with four, 68 with eight); the posterior in
 * `Rating.test.ts` judges those.
 */

import { type Rating, rated } from "@agon/domain/rating/Rating.ts"
import { assert, describe, it } from "@effect/vitest"
import { rate } from "openskill"

const S = 400 / Math.LN10
const lots = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 4294967296
}

const byOpenskill = (match: ReadonlyArray<Rating>, rank: ReadonlyArray<number>): ReadonlyArray<Rating> => {
  const k = match.length
  const mean = match.reduce((sum, { sigma }) => sum + sigma ** 2, 0) / k
  const beta = Math.sqrt((S ** 2 + (Math.PI / 8) * Math.min(k, 4) * mean) / k - mean)
  const teams = match.map(({ mu, sigma }) => [{ mu, sigma }])
  return rate(teams, { rank: [...rank], beta, tau: 0, gamma: () => 1, kappa: 0.05 }).map(([player]) => player!)
}

const agree = (match: ReadonlyArray<Rating>, ranks: ReadonlyArray<number>, name: string) => {
  const want = byOpenskill(match, ranks)
  rated(match, ranks).forEach(({ mu, sigma }, seat) => {
    assert.closeTo(mu, want[seat]!.mu, 1e-9, name)
    assert.closeTo(sigma, want[seat]!.sigma, 1e-9, name)
  })
}

describe("the rating and openskill's Plackett-Luce with gamma 1 at the same scale", () => {
  for (const { seats, sigma_max } of [
    { seats: 2, sigma_max: 157 },
    { seats: 3, sigma_max: 127 },
    { seats: 4, sigma_max: 111 },
    { seats: 6, sigma_max: 82 },
    { seats: 8, sigma_max: 68 }
  ]) {
    it(`agree on ${seats} seats, ties included`, () => {
      for (let seed = 1; seed <= 300; seed++) {
        const draw = lots(seed)
        const match = Array.from({ length: seats }, () => ({ mu: 1000 * draw() - 500, sigma: 5 + (sigma_max - 5) * draw() }))
        const scores = match.map(() => Math.floor(draw() * seats))
        const ranks = scores.map((score) => 1 + scores.filter((other) => other > score).length)
        agree(match, ranks, `seed ${seed}, ranks ${ranks}`)
      }
    })
  }
  it("agree where all tie, and where one seat is far ahead and loses", () => {
    const match = [900, -100, 0, 50].map((mu) => ({ mu, sigma: 100 }))
    agree(match, [1, 1, 1, 1], "all tie")
    agree(match, [4, 1, 2, 3], "the favourite is last")
  })
  it("tell two seats apart from the scale openskill would choose itself", () => {
    const match = [
      { mu: 0, sigma: 150 },
      { mu: 0, sigma: 150 }
    ]
    const own = rate(
      match.map((player) => [player]),
      { rank: [1, 2], beta: S / Math.SQRT2, tau: 0, gamma: () => 1 }
    )[0]![0]!
    assert.isAbove(rated(match, [1, 2])[0]!.mu, own.mu + 5) // a newcomer moves faster here
  })
})
