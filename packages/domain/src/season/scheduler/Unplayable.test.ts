import { assert, describe, it } from "vitest"
import { LAPSES_FREE } from "../key/Lapses.ts"
import { step } from "../Season.ts"
import { restore, snapshot } from "../State.ts"
import { fault, type Machine, type Match, play } from "../testing/failingMachines.ts"
import { addBoard, outcome, RUNNER, season, version } from "../testing/testSeason.ts"

describe("a match that a runner cannot play", () => {
  /** `k1` holds a match; these keys have brought results. */
  const held = (...heard: ReadonlyArray<string>) => {
    const { now, state } = season(2)
    state.keys = heard.map((key) => ({ key, at: now }))
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, key: "k1", max: 1 }, now)
    const match = work as Match
    return { now, state, match }
  }
  const twoFaults = () => held("k2", "k3")

  it("fails at once where no other key plays, and its repeat changes nothing", () => {
    const { match, now, state } = held("k1")
    const about = fault({ key: "k1", lease: match.lease }, "weights_unavailable", null)
    assert.deepStrictEqual(step(state, about, now), { accepted: true })
    assert.deepInclude(state.writes.ended.at(-1), { id: match.match, ending: "failed", fault_reason: "weights_unavailable", key: "k1" })
    assert.deepStrictEqual(state.writes.failedTries, ["weights_unavailable"])
    assert.deepInclude(step(state, about, now), { accepted: false, reason: "unknown" }) // its row answers (answerAgain.ts)
  })

  it("is queued again where another runner of the same key plays", () => {
    const { now, state } = season(20)
    const [mine, theirs] = ["a", "b"].map((runner) => step(state, { _tag: "LeaseWork", ...RUNNER, runner, max: 1 }, now)[0]!)
    assert.strictEqual(theirs!.kind, "match")
    step(state, fault({ key: RUNNER.key, lease: mine!.lease }, "engine_fault", null), now)
    assert.deepInclude(state.live.get((mine as Match).match), { losses: 1, until: null })
  })

  it("is queued again where the one runner has failed eight before: nothing wears out a ladder in seconds", () => {
    const { now, state } = season(20)
    state.keys = []
    const failing: Machine = { key: "k1", says: () => "engine_fault" }
    play(state, [failing], now, 200)
    const tried = state.writes.ended.filter(({ ending }) => ending === "failed").map(({ lease_n }) => lease_n)
    assert.isAbove(tried.length, LAPSES_FREE)
    assert.deepStrictEqual(new Set(tried.slice(0, LAPSES_FREE)), new Set([1]))
    assert.deepStrictEqual(new Set(tried.slice(LAPSES_FREE)), new Set([3]))
  })

  it("goes to others first, and back to its own key after as long as a lease", () => {
    const { match, now, state } = twoFaults()
    const about = { key: "k1", lease: match.lease }
    for (const _ of [1, 2]) assert.deepStrictEqual(step(state, fault(about, "engine_fault", null), now), { accepted: true })
    const another = step(state, { _tag: "ReportMatch", ...about, outcome: outcome(2) }, now)
    assert.deepStrictEqual(another, { accepted: true, answered: true }) // as the first answer, and it comes to nothing
    assert.deepInclude(state.live.get(match.match), { losses: 1, until: null })
    const asks = (key: string, at: number) =>
      step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 9 }, at).filter((work) => work.kind === "match" && work.match === match.match)
    assert.lengthOf(asks("k1", now + 29_999), 0)
    state.events = []
    step(state, { _tag: "Tick" }, now + 30_000)
    assert.isTrue(state.events.some(({ _tag }) => _tag === "WorkAppeared"))
    const twin = restore(structuredClone(snapshot(state)))
    assert.lengthOf(step(twin, { _tag: "LeaseWork", ...RUNNER, key: "k1", max: 9 }, now + 30_000), 1)
    assert.lengthOf(asks("k2", now + 30_000), 1)
  })

  it("fails at the third time, and its repeat is answered as the first", () => {
    const { match, now, state } = twoFaults()
    let lease = match.lease
    for (const [i, key] of ["k1", "k2", "k3"].entries()) {
      if (i > 0) lease = step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, now)[0]!.lease
      assert.deepStrictEqual(step(state, fault({ key, lease }, "weights_unavailable", null), now), { accepted: true })
    }
    assert.deepInclude(state.writes.ended.at(-1), { id: match.match, ending: "failed", fault_reason: "weights_unavailable", key: "k3" })
    assert.deepStrictEqual(
      [...state.ladders.at(-1)!.ratings.values()].map(({ virtual_games, failed }) => virtual_games + failed),
      match.ladder === "open" ? [0.5, 0.5] : [0, 0]
    )
  })

  it("that is named after nobody who plays in it is malformed, and changes nothing", () => {
    const { match, now, state } = twoFaults()
    const about = fault({ key: "k1", lease: match.lease }, "weights_unavailable", version(9))
    assert.deepInclude(step(state, about, now), { accepted: false, reason: "malformed" })
    assert.deepInclude(state.live.get(match.match), { losses: 0 })
  })

  it("whose board goes off while it waits to be tried again is answered as it was", () => {
    const { match, now, state } = twoFaults()
    addBoard(state, "other", 2, now)
    step(state, fault({ key: "k1", lease: match.lease }, "weights_unavailable", null), now)
    step(state, { _tag: "SwitchBoard", board: "b0", enabled: false }, now)
    const ended = state.writes.ended.at(-1)!
    assert.deepInclude(ended, { ending: "cancelled", withdrawn_reason: "board_disabled", fault_reason: "weights_unavailable" })
  })
})
