import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, RUNNER, season, submission } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

/** Plays so many matches, one at a time; answers how many of them were made for each ladder. */
const play = (state: State, from: number, matches: number): Readonly<Record<string, number>> => {
  const made: Record<string, number> = {}
  for (let now = from; now < from + matches; now++) {
    const work = lease(state, now)[0]!
    assert.strictEqual(work.kind, "match")
    const ladder = (work.kind === "match" && work.ladder) || "trial"
    made[ladder] = (made[ladder] ?? 0) + 1
    finish(state, work, now, now % 2)
    committed(state)
  }
  return made
}

/** Two competitors enter a class that nobody else is in. */
const enterClass = (state: State, first: number, weights_bytes: number, now: number): void => {
  for (const n of [first, first + 1]) {
    step(state, submission(n, { files: { weights_bytes, manifest_bytes: 100 } }), now)
    for (const _ of ["review", "trial"]) finish(state, lease(state, now)[0]!, now)
  }
}

describe("a class that can be paired only late", () => {
  it("has its share of a fleet from then on, and makes up for nothing", () => {
    const { now, state } = season(10)
    const before = play(state, now + 1, 1_000)
    assert.isAtLeast(before.nano!, 490)
    enterClass(state, 11, 3_000, now + 2_000)
    enterClass(state, 13, 10_000, now + 2_000)
    const { micro = 0, mini = 0, nano = 0, open = 0 } = play(state, now + 3_000, 280) // ten games each of 10, 14, 2 and 2 entries, of newcomers up to twice as many
    assert.isAtLeast(nano, 75)
    assert.isAtLeast(open, 105)
    for (const late of [micro, mini]) {
      assert.isAtLeast(late, 10)
      assert.isAtMost(late, 32)
    }
  })

  it("makes up for nothing after a time in which it could not be paired either", () => {
    const { now, state } = season(10)
    enterClass(state, 11, 3_000, now + 1)
    play(state, now + 10, 200)
    const one = [...state.versions_by_id.values()].find((version) => version.class === "micro")!
    step(state, { _tag: "Disqualify", version: one.id, reason: "Asked for." }, now + 300)
    play(state, now + 1_000, 1_000)
    step(state, { _tag: "Reinstate", version: one.id }, now + 2_500)
    assert.isAtMost(play(state, now + 3_000, 240).micro ?? 0, 25)
  })

  it("has the games that a round owes it first, but no more of idle fill than others", () => {
    const { now, state } = season(10)
    step(state, { _tag: "EditSettings", scheduledOnly: false, settings: { fill: { enabled: true, max_per_hour: null } } }, now)
    step(state, { _tag: "PlanRound", kind: "round", games: 10, starts_at: now + 1 }, now)
    play(state, now + 1, 1_000)
    enterClass(state, 11, 3_000, now + 2_000)
    const owed = play(state, now + 3_000, 30)
    assert.isAtLeast(owed.micro!, 10)
    const { micro = 0, nano = 0 } = play(state, now + 4_000, 240)
    assert.isAtMost(micro, 45)
    assert.isAtLeast(nano, 80)
  })

  it("does not wait for an entry that was kept from playing, by a match that lasted", () => {
    const { now, state } = season(10)
    let at = now + 1
    let held = lease(state, at)[0]!
    for (; held.kind !== "match" || held.ladder !== "nano"; held = lease(state, at)[0]!) finish(state, held, at)
    for (; at < now + 140_000; at += 20_000) step(state, { _tag: "Heartbeat", key: RUNNER.key, leases: [held.lease] }, at)
    assert.isAtLeast(play(state, at, 1_000).nano!, 400)
    finish(state, held, at + 1_000)
    const { nano = 0, open = 0 } = play(state, at + 1_001, 400)
    assert.isAtLeast(open, 60)
    assert.isAtLeast(nano, 190)
  })

  it("is remembered by a restored season", () => {
    const { now, state } = season(10)
    play(state, now + 1, 500)
    enterClass(state, 11, 3_000, now + 1_000)
    play(state, now + 2_000, 30)
    const copy = restore(structuredClone(snapshot(state)))
    assert.deepStrictEqual(play(copy, now + 3_000, 100), play(state, now + 3_000, 100))
  })
})
