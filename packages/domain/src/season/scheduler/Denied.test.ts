import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { lease, outcome, RUNNER, season } from "../testing/testSeason.ts"

const denied = {
  detail: "The scores of the match differ.",
  audit: { id: "a1", actor: null, action: "match.void", subject: "m", detail: null }
} as const

describe("a result that its replay contradicts", () => {
  it("fails its match as a voided one, rates nobody, and its entries are owed as many games as before", () => {
    const { now, state } = season(2)
    step(state, { _tag: "PlanRound", kind: "finals", games: 1, starts_at: now + 10 }, now)
    const [work] = lease(state, now + 20)
    const before = structuredClone([...state.ladders.at(-1)!.ratings.values()].map(({ busy: _, key: __, ...rating }) => rating))
    state.writes.ended.length = 0
    const report = { _tag: "ReportMatch", key: RUNNER.key, lease: work!.lease, outcome: outcome(2), denied } as const
    assert.deepStrictEqual(step(state, report, now + 21), { accepted: true })
    assert.deepInclude(state.writes.ended[0], {
      ending: "failed",
      fault_reason: "replay_mismatch",
      fault_detail: denied.detail,
      rated_n: null
    })
    assert.deepStrictEqual(
      state.writes.ended[0]!.seats.map(({ rank }) => rank),
      [0, 0]
    )
    assert.deepStrictEqual(
      [...state.ladders.at(-1)!.ratings.values()].map(({ busy: _, key: __, ...rating }) => rating),
      before
    )
    assert.deepInclude(state.writes.audits.at(-1), { id: "a1", at: now + 21 })
    assert.deepInclude({ phase: state.phase, rated: state.rated }, { phase: "open", rated: 0 })
    const again = lease(state, now + 22)
    assert.sameMembers(
      again.flatMap((each) => (each.kind === "match" ? each.versions : [])),
      work!.kind === "match" ? [...work!.versions] : []
    )
  })
})
