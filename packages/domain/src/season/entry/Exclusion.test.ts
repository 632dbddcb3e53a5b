import { assert, describe, it } from "@effect/vitest"
import { CLOSING_MS } from "../clock/Closing.ts"
import { bestFirst, podium } from "../rating/Podium.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, owner, season, submission, version } from "../testing/testSeason.ts"
import { versionOf } from "../VersionCounts.ts"
import { committed } from "../Writes.ts"

const REASON = "It broke the rules."
const play = (state: State, from: number, until: number) => {
  for (let now = from; now < until; now++) for (const work of lease(state, now)) finish(state, work, now, now % 2)
}
const disqualify = (state: State, n: number, now: number, number = 1) =>
  step(state, { _tag: "Disqualify", version: version(n, number), reason: REASON }, now)
const reinstate = (state: State, n: number, now: number, number = 1) => step(state, { _tag: "Reinstate", version: version(n, number) }, now)
const remove = (state: State, n: number, removed: boolean, now: number) =>
  step(state, { _tag: "SwitchOwner", owner: owner(n), removed }, now)
const statusOf = (state: State, n: number, number = 1) => versionOf(state, version(n, number))?.status
const open = (state: State) => state.ladders[5]!
const standing = (state: State) => bestFirst(open(state)).map((rating) => rating.version)
const told = (state: State) => state.events.flatMap((event) => (event._tag === "VersionMoved" ? [event.change] : []))

/** A newer version of model `n` enters. */
const renew = (state: State, n: number, now: number) => {
  step(state, submission(n, { version: version(n, 2), number: 2, weights_hash: `sha256:new${n}` }), now)
  for (let i = 0; i < 40 && statusOf(state, n, 2) === "testing"; i++) play(state, now + i, now + i + 1)
}

const disqualifiedToVoid = () => {
  const { state, now } = season(6)
  play(state, now, now + 30)
  committed(state)
  step(state, { _tag: "Disqualify", version: version(1), reason: REASON, void_matches: true }, now + 60)
  return { state, now: now + 60 }
}

describe("the voids of a disqualified entry's matches", () => {
  it("are waited for by a close, also of a season that was restored meanwhile", () => {
    const { now, state: before } = disqualifiedToVoid()
    const state = restore(structuredClone(snapshot(before)))
    step(state, { _tag: "CloseSeason" }, now + 1)
    for (const work of lease(state, now + 2)) finish(state, work, now + 2, 0)
    step(state, { _tag: "Tick" }, now + 40_000)
    assert.deepStrictEqual([state.phase, state.live.size], ["closing", 0])
    step(state, { _tag: "EndVoids", version: version(1) }, now + 40_001)
    assert.strictEqual(state.phase, "closed")
    assert.isFalse(state.writes.audits.some(({ action }) => action === "version.doubt"))
  })

  it("are left after a minute, and the log says whose", () => {
    const { now, state } = disqualifiedToVoid()
    step(state, { _tag: "CloseSeason" }, now + 1)
    step(state, { _tag: "Tick" }, now + 1 + CLOSING_MS)
    assert.deepStrictEqual([state.phase, state.to_void], ["closed", []])
    const doubts = state.writes.audits.filter(({ action }) => action === "version.doubt")
    assert.deepStrictEqual(
      doubts.map(({ subject }) => subject),
      [version(1)]
    )
  })

  it("are not waited for where none was asked for, and once it is reinstated", () => {
    const { now, state } = disqualifiedToVoid()
    reinstate(state, 1, now + 1)
    disqualify(state, 1, now + 2)
    assert.deepStrictEqual(state.to_void, [])
  })
})

describe("a disqualified entry", () => {
  it("leaves ladders, podium and queue, keeps its rating, and plays again once it is reinstated", () => {
    const { state, now } = season(6)
    play(state, now, now + 90)
    lease(state, now + 90) // a batch is prepared: somebody is queued
    const queued = [...state.live.values()].find(({ ladder, until }) => ladder !== null && until === null)!
    const out = queued.versions[0]!
    const was = { ...open(state).ratings.get(out)! }
    committed(state)
    const command = { _tag: "Disqualify", version: out, reason: REASON } as const
    assert.deepStrictEqual(step(state, command, now + 91), { status: "disqualified" })
    assert.deepInclude(versionOf(state, out), { status: "disqualified", disqualified: true, reject_detail: REASON })
    assert.deepInclude(
      state.writes.ended.find(({ id }) => id === queued.id),
      { ending: "cancelled", withdrawn_reason: "disqualified" }
    )
    assert.strictEqual(state.active, 5)
    assert.notInclude(standing(state), out)
    for (const best of Object.values(podium(state))) assert.notInclude(best, out)
    assert.deepStrictEqual(told(state), ["disqualified"])
    committed(state)
    assert.deepStrictEqual(step(state, { ...command, reason: "Again." }, now + 92), { status: "disqualified" })
    assert.deepStrictEqual([told(state), versionOf(state, out)!.reject_detail], [[], REASON], "twice the same")

    play(state, now + 121, now + 260) // what was being played has been lost and played by now
    const { matches, mu } = open(state).ratings.get(out)!
    assert.isAtMost(matches - was.matches, 1)
    for (const match of state.live.values()) assert.notInclude(match.versions, out)
    committed(state)
    assert.deepStrictEqual(step(state, { _tag: "Reinstate", version: out }, now + 260), { status: "entered", phase: null })
    assert.deepInclude(versionOf(state, out), { status: "entered", disqualified: false, reject_detail: null })
    assert.strictEqual(open(state).ratings.get(out)!.mu, mu)
    assert.include(standing(state), out)
    assert.deepStrictEqual(told(state), ["reinstated"])
    play(state, now + 261, now + 320)
    assert.isAbove(open(state).ratings.get(out)!.matches, matches)
  })

  it("must be an entry of somebody", () => {
    const { state, now } = season(2)
    step(state, submission(9, { owner: null }), now)
    finish(state, lease(state, now)[0]!, now)
    step(state, { _tag: "SwitchBaseline", version: version(9), enabled: true }, now)
    assert.strictEqual(statusOf(state, 9), "entered")
    renew(state, 1, now + 1)
    step(state, submission(3), now + 59)
    committed(state)
    assert.strictEqual(statusOf(state, 3), "testing")
    for (const each of [version(9), version(1), version(3), version(77)]) {
      const reply = step(state, { _tag: "Disqualify", version: each, reason: REASON }, now + 60)
      assert.deepStrictEqual(reply, { refused: "not_in_contention" })
    }
  })

  it("hands its rating to no newer version, and is superseded by that when it is reinstated", () => {
    const { state, now } = season(4)
    play(state, now, now + 80)
    disqualify(state, 1, now + 80)
    renew(state, 1, now + 81)
    assert.deepStrictEqual([statusOf(state, 1), statusOf(state, 1, 2)], ["disqualified", "entered"])
    assert.deepInclude(open(state).ratings.get(version(1, 2)), { sigma: 200 })
    committed(state)
    assert.deepStrictEqual(reinstate(state, 1, now + 130), { status: "superseded", phase: null })
    assert.deepInclude(versionOf(state, version(1)), { status: "superseded", successor: 2 })
    assert.strictEqual(statusOf(state, 1, 2), "entered")
    committed(state)
    assert.isUndefined(versionOf(state, version(1)), "it is let go")
  })

  it("is reset by a round that starts while it is out", () => {
    const { state, now } = season(4)
    play(state, now, now + 60)
    disqualify(state, 1, now + 60)
    step(state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: now + 70 }, now + 61)
    play(state, now + 62, now + 120)
    reinstate(state, 1, now + 120)
    assert.deepInclude(open(state).ratings.get(version(1)), { mu: 0, sigma: 200, round: 1, round_matches: 0 })
    play(state, now + 121, now + 220)
    assert.isAtLeast(open(state).ratings.get(version(1))!.round_matches, 3)
  })
})

describe("the entries of an owner who is removed", () => {
  it("are out until the owner is back, unless an administrator keeps one out", () => {
    const { state, now } = season(4)
    play(state, now, now + 40)
    committed(state)
    assert.deepStrictEqual(remove(state, 1, true, now + 40), { switched: 1 })
    assert.strictEqual(statusOf(state, 1), "disqualified")
    assert.deepStrictEqual(told(state), ["disqualified"])
    assert.deepStrictEqual(remove(state, 1, true, now + 41), { switched: 0 })
    disqualify(state, 1, now + 42)
    remove(state, 1, false, now + 43)
    assert.deepInclude(versionOf(state, version(1)), { status: "disqualified", reject_detail: REASON })
    remove(state, 1, true, now + 44)
    assert.deepStrictEqual(reinstate(state, 1, now + 45), { status: "disqualified", phase: null })
    assert.notStrictEqual(versionOf(state, version(1))!.reject_detail, REASON)
    remove(state, 1, false, now + 46)
    assert.deepInclude(versionOf(state, version(1)), { status: "entered", reject_detail: null })
    assert.strictEqual(state.active, 4)
  })

  it("are joined by a candidate that passes its trial meanwhile, and the newest plays when the owner is back", () => {
    const { state, now } = season(4)
    play(state, now, now + 60)
    const { mu } = open(state).ratings.get(version(1))!
    step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:new" }), now + 60)
    remove(state, 1, true, now + 61)
    play(state, now + 62, now + 110)
    assert.deepStrictEqual([statusOf(state, 1), statusOf(state, 1, 2)], ["disqualified", "disqualified"])
    assert.strictEqual(state.testing, 0)
    committed(state)
    remove(state, 1, false, now + 110)
    assert.deepStrictEqual([statusOf(state, 1), statusOf(state, 1, 2)], ["superseded", "entered"])
    assert.strictEqual(open(state).ratings.get(version(1, 2))!.mu, mu, "it takes over the rating")
    assert.deepStrictEqual(told(state), ["reinstated", "entered", "superseded"])
  })
})

describe("a candidate whose owner is away when its trial ends", () => {
  const away = () => {
    const { state, now } = season(4)
    step(state, submission(9), now)
    remove(state, 9, true, now + 1)
    for (let at = now + 2; state.testing > 0; at++) play(state, at, at + 1)
    assert.strictEqual(statusOf(state, 9), "disqualified")
    return { state, at: state.now }
  }
  const finals = (state: State, at: number) => {
    step(state, { _tag: "PlanRound", kind: "finals", games: 20, starts_at: at + 1 }, at)
    step(state, { _tag: "Tick" }, at + 1)
    committed(state)
  }
  const isOut = (state: State) => {
    assert.deepInclude(versionOf(state, version(9)), { status: "rejected", phase: null, reject_reason: "season_closed" })
    assert.isUndefined(state.versions_by_id.get(version(9)), "it is let go")
    assert.deepStrictEqual(told(state), ["rejected"])
    assert.deepStrictEqual([state.active, state.testing, open(state).ratings.has(version(9))], [4, 0, false])
  }

  it("enters when its owner is back", () => {
    const { state, at } = away()
    remove(state, 9, false, at + 1)
    assert.deepStrictEqual([statusOf(state, 9), state.active], ["entered", 5])
  })

  it("enters no finals, whoever brings it back", () => {
    for (const byReinstating of [false, true]) {
      const { state, at } = away()
      if (byReinstating) disqualify(state, 9, at)
      finals(state, at)
      remove(state, 9, false, at + 2)
      if (byReinstating) assert.deepStrictEqual(reinstate(state, 9, at + 3), { status: "rejected", phase: null })
      isOut(state)
      committed(state)
      play(state, at + 4, at + 30)
      assert.deepStrictEqual(snapshot(restore(structuredClone(snapshot(state)))), snapshot(state))
    }
  })

  it("enters no season that closes, while an entry that has played comes back", () => {
    const { state, at } = away()
    lease(state, at)
    remove(state, 1, true, at + 1)
    step(state, { _tag: "CloseSeason" }, at + 1)
    committed(state)
    assert.strictEqual(state.phase, "closing")
    remove(state, 9, false, at + 2)
    isOut({ ...state, active: state.active + 1 })
    remove(state, 1, false, at + 3)
    assert.strictEqual(statusOf(state, 1), "entered")
  })

  it("leaves the finals to the version of its model that plays in them", () => {
    const { state, now } = season(4)
    play(state, now, now + 40)
    step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:new" }), now + 40)
    remove(state, 1, true, now + 41)
    for (let at = now + 42; state.testing > 0; at++) play(state, at, at + 1)
    finals(state, state.now)
    remove(state, 1, false, state.now + 1)
    assert.deepStrictEqual([statusOf(state, 1), statusOf(state, 1, 2)], ["entered", "rejected"])
    assert.deepStrictEqual(told(state), ["reinstated", "rejected"])
  })
})

it("a season restored with entries out of play goes on as the one that was lost", () => {
  const { state, now } = season(6)
  play(state, now, now + 60)
  disqualify(state, 1, now + 60)
  remove(state, 2, true, now + 60)
  committed(state)
  const twin = restore(structuredClone(snapshot(state)))
  for (const each of [state, twin]) {
    play(each, now + 61, now + 100)
    reinstate(each, 1, now + 100)
    remove(each, 2, false, now + 101)
    play(each, now + 102, now + 200)
    committed(each)
  }
  assert.deepStrictEqual(snapshot(twin), snapshot(state))
})
