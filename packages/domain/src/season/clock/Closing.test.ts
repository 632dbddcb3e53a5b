import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, RUNNER, season } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import { CHECKING_MS, CLOSING_MS } from "./Closing.ts"

/** A season in which two matches count and one is played. */
const played = () => {
  const { now, state } = season(4)
  const books = testLog.books()
  for (const at of [now + 1, now + 2]) for (const work of lease(state, at)) finish(state, work, at)
  const [work] = lease(state, now + 3)
  testLog.write(books, state)
  committed(state)
  return { state, books, work: work!, at: now + 10 }
}

const checked = (state: State, at: number, played = state.played) => step(state, { _tag: "ReplaysChecked", played }, at)

const ratings = (state: State) => [...state.ladders.at(-1)!.ratings.values()].map(({ mu, version }) => [version, mu])

const doubts = (state: State) =>
  state.writes.audits.filter(({ action }) => action.endsWith(".doubt")).map(({ action, detail }) => [action, detail])

describe("a close that waits for the check of replays", () => {
  it("freezes the podium once every result is checked, those that came meanwhile too", () => {
    const { at, state, work } = played()
    step(state, { _tag: "CloseSeason", checks: true }, at)
    checked(state, at + 1)
    assert.strictEqual(state.phase, "closing")
    const before = state.played
    finish(state, work, at + 2)
    assert.strictEqual(state.played, before + 1)
    checked(state, at + 3, before)
    assert.strictEqual(state.phase, "closing")
    checked(state, at + 4)
    assert.deepInclude({ ...state }, { phase: "closed", closed_at: at + 4 })
    assert.deepStrictEqual(doubts(state), [])
  })

  it("leaves out of the podium what the check has voided, also after the minute of play", () => {
    const { at, books, state, work } = played()
    step(state, { _tag: "CloseSeason", checks: true }, at)
    for (const after of [20_000, 40_000]) step(state, { _tag: "Heartbeat", key: RUNNER.key, leases: [work.lease] }, at + after)
    const late = at + CLOSING_MS - 1
    const before = ratings(state)
    finish(state, work, late)
    assert.notDeepEqual(ratings(state), before)
    testLog.write(books, state)
    committed(state)
    const match = work.lease.split(".")[0]!
    const found = testLog.endedOf(books, match)!
    assert.deepStrictEqual(step(state, { _tag: "VoidMatch", match, detail: "It was not so.", found }, late + 2_000), { voided: true })
    checked(state, late + 2_001)
    testLog.write(books, state)
    committed(state)
    assert.strictEqual(state.phase, "closing")
    assert.deepStrictEqual(testLog.refold(state, books, late + 3_000), { installed: true, stale: false })
    assert.deepInclude({ ...state }, { phase: "closed", closed_at: late + 3_000 })
    assert.deepStrictEqual(doubts(state), [])
    assert.deepStrictEqual(ratings(state), before)
  })

  it("gives up half a minute after the last match could be played, and says so", () => {
    const { at, state } = played()
    step(state, { _tag: "CloseSeason", checks: true }, at)
    step(state, { _tag: "Tick" }, at + CLOSING_MS)
    assert.deepInclude({ ...state, live: state.live.size }, { phase: "closing", live: 0 })
    const again = restore(structuredClone(snapshot(state)))
    for (const each of [state, again]) {
      step(each, { _tag: "Tick" }, at + CLOSING_MS + CHECKING_MS - 1)
      assert.strictEqual(each.phase, "closing")
      step(each, { _tag: "Tick" }, at + CLOSING_MS + CHECKING_MS)
      assert.strictEqual(each.closed_at, at + CLOSING_MS + CHECKING_MS)
      assert.deepStrictEqual(doubts(each), [["season.doubt", { why: "closed before the replays of its last results were checked" }]])
    }
  })

  it("waits for nothing where nothing counts", () => {
    const { now, state } = season(4)
    assert.isAbove(state.played, 0)
    step(state, { _tag: "CloseSeason", checks: true }, now + 1)
    assert.strictEqual(state.phase, "closed")
  })
})
