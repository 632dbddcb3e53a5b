import { assert, describe, it } from "@effect/vitest"
import { commandOf, faultsOf } from "./results.ts"

const known = new Set(["v"])
const holding = { lease: "l", runner: "r", key: "k", season: "s", seats: 2, max_turns: 500, strike_limit: 3 }
const seat = (number: number, score: number, rank: number, strikes = 0) => ({ seat: number, score, rank, strikes })
const result = (...seats: ReadonlyArray<ReturnType<typeof seat>>) =>
  ({
    kind: "match",
    runtime_version: "v",
    reason: "last_standing",
    turns: 1,
    played_ms: 1,
    seats,
    state_sha256: "0",
    replay: { hash: `sha256:${"0".repeat(64)}`, bytes: 2 }
  }) as const

describe("a result on its way to a season", () => {
  it("is sound where its ranks follow from scores and forfeits, in whatever order the seats stand", () => {
    assert.deepStrictEqual(faultsOf(result(seat(1, 5, 2), seat(0, 9, 1)), holding, "", known), [])
    assert.deepStrictEqual(faultsOf(result(seat(0, 9, 2, 3), seat(1, 5, 1)), holding, "", known), []) // a forfeit comes last
    assert.deepStrictEqual(faultsOf({ ...result(seat(0, 9, 1), seat(1, 5, 2)), turns: 500 }, holding, "", known), []) // the last turn
  })
  const faults = [
    ["a rank that contradicts the scores", result(seat(0, 9, 2), seat(1, 5, 1))],
    ["a tie that is none", result(seat(0, 9, 1), seat(1, 5, 1))],
    ["a forfeit before the others", result(seat(0, 9, 1, 3), seat(1, 5, 2))],
    ["a seat too few", result(seat(0, 9, 1))],
    ["a seat that stands twice", result(seat(0, 9, 1), seat(0, 5, 2))],
    ["more turns than the rules have", { ...result(seat(0, 9, 1), seat(1, 5, 2)), turns: 501 }],
    ["more strikes than end a seat", result(seat(0, 9, 1), seat(1, 5, 2, 4))],
    ["a runtime that nobody knows", { ...result(seat(0, 9, 1), seat(1, 5, 2)), runtime_version: "mine" }],
    ["work of another kind", { kind: "admission", runtime_version: "v", verdict: "failed", detail: "" }]
  ] as const
  for (const [what, wrong] of faults) {
    it(`is refused for ${what}, with the place where it is wrong`, () => {
      assert.match(faultsOf(wrong, holding, "results.3.", known)[0]!.path, /^results\.3\./)
    })
  }
  it("reaches the machine with its seats in order", () => {
    const command = commandOf("k", { lease: "l", ...result(seat(1, 5, 2), seat(0, 9, 1)) })
    assert.deepInclude(command, { _tag: "ReportMatch", key: "k", lease: "l" })
    assert.deepStrictEqual(command?._tag === "ReportMatch" && command.outcome.seats.map(({ score }) => score), [9, 5])
  })
})
