import { assert, describe, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { returned } from "../clock/Absence.ts"
import { matchLeaseMax_ms, matchOwn_ms } from "../Lease.ts"
import { DEFAULT_RULES } from "../Rules.ts"
import { deadline, step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, outcome, RUNNER, season } from "../testing/testSeason.ts"

const OWN_MS = matchOwn_ms(DEFAULT_RULES, 2)
const EVERY_MS = 10_000
const HOLDER = { ...RUNNER, runner: "holder", key: "holder" }

/** Takes all that the season gives. */
const takeAll = (state: State, now: number): ReadonlyArray<Work> => step(state, { _tag: "LeaseWork", ...HOLDER, max: 64 }, now)

const beat = (state: State, works: ReadonlyArray<Work>, now: number) =>
  step(state, { _tag: "Heartbeat", key: HOLDER.key, leases: works.map((work) => work.lease) }, now)

/** The works' runner beats from one time to another. */
const cling = (state: State, works: ReadonlyArray<Work>, from: number, to: number) => {
  for (let at = from; at < to; at += EVERY_MS) beat(state, works, at)
  beat(state, works, to)
}

/** A season of ten, which has one match in flight on each of its two ladders, and both with one runner. */
const held = () => {
  const { now, state } = season(10)
  const works = takeAll(state, now)
  assert.lengthOf(works, 2)
  return { now, state, works }
}

describe("a match that lasts longer than its rules let it", () => {
  it("leaves its ladder room for another, of which the season tells who waits, and goes on", () => {
    const { now, state, works } = held()
    cling(state, works, now, now + OWN_MS - 1)
    assert.isEmpty(lease(state, now + OWN_MS - 1, 64))
    assert.strictEqual(deadline(state), now + OWN_MS)
    state.events = []
    step(state, { _tag: "Tick" }, now + OWN_MS)
    assert.deepInclude(state.events, { _tag: "WorkAppeared" })
    const more = lease(state, now + OWN_MS, 64)
    assert.lengthOf(more, 2)
    const seats = [...works, ...more].flatMap((work) => (work.kind === "match" ? work.versions.map((id) => `${work.ladder} ${id}`) : []))
    assert.lengthOf(new Set(seats), seats.length)
    for (const work of works) {
      const answer = step(state, { _tag: "ReportMatch", key: HOLDER.key, lease: work.lease, outcome: outcome(2) }, now + OWN_MS + 1)
      assert.deepInclude(answer, { accepted: true })
    }
    assert.isEmpty(lease(state, now + OWN_MS + 2, 64), "each ladder has one match in flight again")
  })

  it("keeps nobody from the games of a round, though only entries that are owed none are left to play", () => {
    const { now, state } = season(5)
    step(state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: now + 1 }, now)
    const works = takeAll(state, now + 1)
    assert.lengthOf(works, 2)
    cling(state, works, now + 1, now + 1 + OWN_MS)
    for (let at = now + 1 + OWN_MS; ; at++) {
      const [work] = lease(state, at)
      if (work === undefined) break
      finish(state, work, at)
    }
    for (const { ladder, ratings } of state.ladders.filter(({ active }) => active > 0)) {
      const held = works.flatMap((work) => (work.kind === "match" && work.ladder === ladder ? work.versions : []))
      const others = [...ratings.values()].filter(({ version }) => !held.includes(version))
      assert.deepStrictEqual(
        others.map(({ virtual_games }) => Math.min(3, virtual_games)),
        [3, 3, 3],
        ladder
      )
    }
  })

  it("lets others play at all times beside a runner that renews its leases and never answers", () => {
    const { now, state, works } = held()
    let [at, played] = [now, 0]
    let mine: ReadonlyArray<Work> = []
    let theirs = [...works]
    const until = now + 4 * matchLeaseMax_ms(DEFAULT_RULES, 2)
    for (; at < until; at += EVERY_MS) {
      const answers = beat(state, theirs, at)
      theirs = theirs.filter((_, i) => "until" in answers[i]!)
      for (const work of mine) finish(state, work, at)
      played += mine.length
      mine = lease(state, at)
      theirs.push(...takeAll(state, at))
    }
    assert.isAbove(played, 0.9 * ((until - now - OWN_MS) / EVERY_MS))
  })

  it("is none any more once it was lost, was given back or has waited for a season that was away, and is one in a restored season", () => {
    const { now, state, works } = held()
    cling(state, works, now, now + OWN_MS - 1)
    const before = structuredClone(snapshot(state))
    cling(state, works, now + OWN_MS - 1, now + OWN_MS)
    const rooms = ({ ladders }: State) => ladders.map(({ playing, stragglers }) => [playing, stragglers.size]).filter(([n]) => n! > 0)
    assert.deepStrictEqual(rooms(state), [
      [1, 1],
      [1, 1]
    ])
    const again = restore(structuredClone(snapshot(state)))
    assert.deepStrictEqual(rooms(again), rooms(state))
    assert.strictEqual(again.stragglerAt, state.stragglerAt)
    const back = now + 2 * OWN_MS
    returned(again, { now: back, latest: back })
    step(again, { _tag: "Tick" }, back)
    assert.deepStrictEqual(rooms(again), rooms(state), "they had lasted as long before the absence, which does not count")
    const young = restore(before)
    returned(young, { now: back, latest: back })
    step(young, { _tag: "Tick" }, back)
    assert.deepStrictEqual(rooms(young), [
      [1, 0],
      [1, 0]
    ])
    const ahead = restore(structuredClone(snapshot(state)))
    returned(ahead, { now, latest: now }) // the clock was ahead: its leases begin now
    assert.deepStrictEqual(rooms(ahead), rooms(young))
    step(state, { _tag: "Release", key: HOLDER.key, lease: works[0]!.lease }, now + OWN_MS + 1)
    assert.deepStrictEqual(rooms(state), [[1, 1]])
    step(state, { _tag: "Tick" }, now + OWN_MS + 60_000)
    assert.deepStrictEqual(rooms(state), [])
  })

  it("follows the rules as they are edited", () => {
    const { now, state, works } = held()
    cling(state, works, now, now + OWN_MS - 1)
    const edit = (max_turns: number, at: number) =>
      step(state, { _tag: "EditSettings", scheduledOnly: false, settings: { rules: { match: { max_turns } } } }, at)
    edit(DEFAULT_RULES.match.max_turns - 1, now + OWN_MS - 1)
    assert.lengthOf(lease(state, now + OWN_MS - 1, 64), 2)
  })
})
