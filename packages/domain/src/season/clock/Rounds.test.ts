import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { empty, OPENED, season } from "../testing/testSeason.ts"

const NOW = OPENED + 1_000
const YEAR_9999 = Date.UTC(9999, 11, 31)

const plan = (state: State, starts_at: number, kind: "round" | "finals" = "round", now = NOW) =>
  step(state, { _tag: "PlanRound", kind, games: 3, starts_at }, now)
const move = (state: State, n: number, starts_at: number) => step(state, { _tag: "PatchRound", n, starts_at }, NOW)

const refused = (detail: string) => ({ refused: "invalid_request", detail })

describe("the refusal of a round's start", () => {
  it("says which round would start in the past, and the time", () => {
    const state = empty()
    const now = "it is 1970-01-01T00:16:41.000Z now."
    assert.deepStrictEqual<unknown>(plan(state, NOW), refused(`Round 1 must start in the future: ${now}`))
    plan(state, NOW + 10)
    plan(state, NOW + 20, "finals")
    assert.deepStrictEqual<unknown>(move(state, 1, NOW - 1), refused(`Round 1 must start in the future: ${now}`))
    assert.deepStrictEqual<unknown>(move(state, 2, NOW), refused(`The finals must start in the future: ${now}`))
  })

  it("says which round stands in the way, when that one starts, and what to do", () => {
    const state = empty()
    plan(state, NOW + 10)
    plan(state, YEAR_9999)
    const after = "must start after round 2 (9999-12-31T00:00:00.000Z); move or withdraw it first."
    assert.deepStrictEqual<unknown>(plan(state, NOW + 20), refused(`Round 3 ${after}`))
    assert.deepStrictEqual<unknown>(plan(state, NOW + 20, "finals"), refused(`The finals ${after}`))
    const before = "must start before round 2 (9999-12-31T00:00:00.000Z); move or withdraw it first."
    assert.deepStrictEqual<unknown>(move(state, 1, YEAR_9999), refused(`Round 1 ${before}`))
    step(state, { _tag: "PatchRound", n: 2, withdrawn: true }, NOW)
    assert.deepStrictEqual<unknown>(plan(state, NOW + 20), { n: 3 })
  })

  it("says how a round comes after finals that are planned, and nothing of it once they have started", () => {
    const state = empty()
    plan(state, NOW + 10, "finals")
    assert.deepStrictEqual<unknown>(plan(state, NOW + 20), refused("Nothing comes after the finals; withdraw them first."))
    assert.deepStrictEqual<unknown>(
      plan(state, NOW + 5),
      refused("Round 2 must start after the finals (1970-01-01T00:16:41.010Z); move or withdraw them first.")
    )
  })

  it("says nothing of withdrawing finals that have started", () => {
    const { now, state } = season(4)
    plan(state, now + 10, "finals", now)
    step(state, { _tag: "Tick" }, now + 10)
    assert.deepStrictEqual<unknown>(plan(state, now + 20, "round", now + 11), refused("Nothing comes after the finals."))
  })
})
