/**
 * The bars of pairing and rating: 100 entries of true strength N(0, 200), two seats, one match in
 * flight, 24 seasons, all pairings on the same truths. Everything but the last test is a function of the
 * seeds, so it cannot fail by chance. With AGON_SLOW the comparison runs on 192 seasons, where its
 * standard errors are a third.
 */
import { type FieldOptions, makeField } from "@agon/cli/season/simulate/Field.ts"
import { machine } from "@agon/cli/season/simulate/machine.ts"
import { PAIRINGS, playSeason, type SeasonReport, summarize } from "@agon/cli/season/simulate/simulation.ts"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { leftOut, slow } from "../../support/slow.ts"

const SEEDS = slow ? 192 : 24
const FIELD: FieldOptions = { entries: 100, games: 80, seats: 2, field: "static", draws: 0 }
const LOOKS = ["10", "20", "40", "80"]
const TAU_MIN = [0.621, 0.729, 0.81, 0.868]
const RMSE_MAX = [116, 86, 62, 45]

const seasonsOf = (name: string): ReadonlyArray<SeasonReport> =>
  Array.from({ length: SEEDS }, (_, i) => playSeason(name, FIELD, i + 1, () => 0))

/** Mean and standard error of the difference in tau, season by season. */
const difference = (ours: ReadonlyArray<SeasonReport>, theirs: ReadonlyArray<SeasonReport>, look: number) => {
  const each = ours.map((season, i) => season.looks[look]!.tau - theirs[i]!.looks[look]!.tau)
  const mean = each.reduce((a, b) => a + b) / each.length
  const variance = each.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (each.length - 1)
  return { mean, error: Math.sqrt(variance / each.length) }
}

describe.skipIf(leftOut("24 seasons under each pairing: 10 s"))(`pairing and rating over ${SEEDS} seasons`, () => {
  let ours: ReadonlyArray<SeasonReport> = []
  beforeAll(() => {
    ours = seasonsOf("agon")
  })
  it("order the field: tau at 10, 20, 40 and 80 games", () => {
    const { tau } = summarize("agon", ours)
    LOOKS.forEach((look, i) => assert.isAtLeast(tau[look]!, TAU_MIN[i]!, `at ${look} games`))
  })
  it("know strengths to within so many points", () => {
    const { rmse } = summarize("agon", ours)
    LOOKS.forEach((look, i) => assert.isAtMost(rmse[look]!, RMSE_MAX[i]!, `at ${look} games`))
  })
  it("are as sure as they may be", () => {
    const { coverage_1s, coverage_2s } = summarize("agon", ours)
    assert.isAtLeast(coverage_1s, 0.62)
    assert.isAtMost(coverage_1s, 0.73)
    assert.isAtLeast(coverage_2s, 0.92)
    assert.isAtMost(coverage_2s, 0.98)
  })
  it("give everybody the same number of games, two more or less at any moment", () => {
    const { most_minus_least, starved } = summarize("agon", ours)
    assert.isAtMost(most_minus_least, 2)
    assert.strictEqual(starved, 0)
  })
  it("order the field better than random matches do", () => {
    const random = seasonsOf("random")
    LOOKS.forEach((look, i) => {
      const { error, mean } = difference(ours, random, i)
      assert.isAbove(mean, 2 * error, `at ${look} games`)
    })
  })
  for (const name of PAIRINGS.filter((each) => each !== "agon" && each !== "random")) {
    it(`order the field no worse than ${name}`, () => {
      const theirs = seasonsOf(name)
      LOOKS.forEach((look, i) => {
        const { error, mean } = difference(ours, theirs, i)
        assert.isAtLeast(mean, -2 * error, `at ${look} games`)
      })
    })
  }
})

describe.skipIf(leftOut("24 seasons of larger matches: 15 s"))(`pairing and rating of larger matches over ${SEEDS} seasons`, () => {
  for (const { rmse_max, seats } of [
    { seats: 4, rmse_max: 33 },
    { seats: 8, rmse_max: 29 }
  ]) {
    it(`of ${seats} seats order the field better than random matches, know strengths and are as sure as they may be`, () => {
      const of = (name: string) => Array.from({ length: SEEDS }, (_, i) => playSeason(name, { ...FIELD, seats }, i + 1, () => 0))
      const [ours, random] = [of("agon"), of("random")]
      LOOKS.forEach((look, i) => assert.isAbove(difference(ours, random, i).mean, 0, `at ${look} games`))
      const { coverage_1s, coverage_2s, rmse } = summarize("agon", ours)
      assert.isAtMost(rmse["80"]!, rmse_max)
      assert.isAtLeast(coverage_1s, 0.62)
      assert.isAtMost(coverage_1s, 0.73)
      assert.isAtLeast(coverage_2s, 0.92)
      assert.isAtMost(coverage_2s, 0.98)
    })
  }
})

describe("pairing and report", () => {
  const MATCHES = slow ? 30_000 : 6_000
  const TURNS = 5
  const field = (entries: number) => {
    const options = { ...FIELD, entries }
    const { play } = makeField(options, 1)
    const league = machine(options, 1)
    return (matches: number) => {
      const started = performance.now()
      for (let i = 0; i < matches; i++) league.report(play(league.pair()))
      return performance.now() - started
    }
  }
  it("cost at most six times as much at 100,000 entries as at 100", () => {
    const [small, large] = [field(100), field(100_000)]
    small(MATCHES)
    large(MATCHES)
    // Turn by turn, so that what else the machine does meets both; the least is what the work takes.
    const turns = Array.from({ length: TURNS }, () => [small(MATCHES), large(MATCHES)] as const)
    const [a, b] = [Math.min(...turns.map(([each]) => each)), Math.min(...turns.map(([, each]) => each))]
    assert.isAtMost(b / a, 6, `${((a * 1000) / MATCHES).toFixed(1)} and ${((b * 1000) / MATCHES).toFixed(1)} us a match`)
  })
})
