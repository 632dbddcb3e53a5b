import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { lease, outcome, RUNNER, season, version } from "../testing/testSeason.ts"

const denied = {
  detail: "The scores of the match differ.",
  audit: { id: "a1", actor: null, action: "match.void", subject: "m", detail: null }
} as const

const DAY_MS = 86_400_000
const ratingsOf = (state: State) => [...state.ladders.at(-1)!.ratings.values()]

/** Two keys play finals in turn, a match every ten seconds; every result of this entry's matches is denied. */
const playDenied = (state: State, from: number, of: string, lasts_ms: number): number => {
  let [at, n] = [from, 0]
  for (; at < from + lasts_ms && state.phase === "open"; at += 10_000) {
    const key = `k${n++ % 2}`
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, at)
    if (work?.kind !== "match") continue
    const report = { _tag: "ReportMatch", key, lease: work.lease, outcome: outcome(2, n % 2) } as const
    step(state, work.versions.includes(of) ? { ...report, denied } : report, at)
  }
  return at
}

describe("a result that its replay contradicts", () => {
  it("fails its match as a voided one, rates nobody, and its entries are owed as many games as before", () => {
    const { now, state } = season(2)
    step(state, { _tag: "PlanRound", kind: "finals", games: 1, starts_at: now + 10 }, now)
    const [work] = lease(state, now + 20)
    const ratings = () => structuredClone(ratingsOf(state).map(({ busy: _, failed: __, key: ___, ...rating }) => rating))
    const before = ratings()
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
    assert.deepStrictEqual(ratings(), before)
    assert.deepInclude(state.writes.audits.at(-1), { id: "a1", at: now + 21 })
    assert.deepInclude({ phase: state.phase, rated: state.rated }, { phase: "open", rated: 0 })
    const again = lease(state, now + 22)
    assert.sameMembers(
      again.flatMap((each) => (each.kind === "match" ? each.versions : [])),
      work!.kind === "match" ? [...work!.versions] : []
    )
  })
  for (const entries of [4, 8, 16]) {
    it(`keeps nobody but its entry from their games in finals of ${entries}, which end after a day of it`, () => {
      const { now, state } = season(entries)
      step(state, { _tag: "PlanRound", kind: "finals", games: 3, starts_at: now + 10 }, now)
      const at = playDenied(state, now + 20, version(1), 3 * DAY_MS)
      for (const { version: id, virtual_games } of ratingsOf(state)) if (id !== version(1)) assert.isAtLeast(virtual_games, 3, id)
      assert.strictEqual(state.phase, "closed")
      assert.isAtLeast(at, now + DAY_MS)
      assert.lengthOf(
        [...state.versions_by_id.values()].filter(({ phase }) => phase !== null),
        0,
        "nobody is suspended"
      )
    })
  }
})
