import { assert, describe, it } from "@effect/vitest"
import type { Work } from "./Command.ts"
import { step } from "./Season.ts"
import { restore, type State, snapshot } from "./State.ts"
import { ADMITTED, finish, lease, model, owner, RUNNER, season, submission, version } from "./testing/testSeason.ts"
import { committed } from "./Writes.ts"

const MATCH_MS = 4_000
const SLOW_MS = 60_000
const AGAIN_MS = 600_000

const isOfCandidate = (work: Work): boolean => work.kind === "admission" || work.is_trial

/** Plays for `lasts_ms` on so many slots, a second a step; answers the works in the order in which they ended. */
const play = (state: State, from: number, { lasts_ms, slots, slow }: { lasts_ms: number; slots: number; slow: number }) => {
  const done: Array<Work> = []
  const held: Array<{ readonly work: Work; readonly ends_at: number }> = []
  let numbers = 100
  for (let now = from; now < from + lasts_ms; now += 1_000) {
    for (let n = 1; n <= slow && (now - from) % AGAIN_MS === 0; n++) {
      const hash = `sha256:${++numbers}`
      const next = { version: version(n, numbers), model: model(n), owner: owner(n), number: numbers, weights_hash: hash }
      step(state, submission(n, next), now)
    }
    for (const { work } of held.filter(({ ends_at }) => ends_at <= now)) {
      finish(state, work, now)
      done.push(work)
    }
    held.splice(0, held.length, ...held.filter(({ ends_at }) => ends_at > now))
    step(state, { _tag: "Heartbeat", key: "k1", leases: held.map(({ work }) => work.lease) }, now)
    for (const work of lease(state, now, slots - held.length))
      held.push({ work, ends_at: now + MATCH_MS + (isOfCandidate(work) && slow > 0 ? SLOW_MS : 0) })
    committed(state)
  }
  return done
}

const HOURS_MS = 7_200_000

describe("candidates and ladders share slots", () => {
  it.each([
    [1, 2],
    [2, 5],
    [8, 20]
  ])("with %i slots and %i accounts that send a slow model every ten minutes, ladders have about half of the time", (slots, slow) => {
    const { now, state } = season(60, [2], { trial: { matches: 4 } })
    const works = play(state, now + 1, { lasts_ms: HOURS_MS, slots, slow })
    const rated = works.filter((work) => !isOfCandidate(work)).length
    const candidates = works.length - rated
    const whole = (slots * HOURS_MS) / MATCH_MS
    assert.isAtLeast(rated / whole, 0.4)
    assert.isAtLeast((candidates * (MATCH_MS + SLOW_MS)) / (slots * HOURS_MS), 0.3)
  })

  it("a candidate at an ordinary pace waits for no match of a ladder, on a single slot", () => {
    const { now, state } = season(60, [2], { trial: { matches: 4 } })
    play(state, now + 1, { lasts_ms: 100_000, slots: 1, slow: 0 })
    step(state, submission(99), now + 200_000)
    const works = play(state, now + 200_000, { lasts_ms: 60_000, slots: 1, slow: 0 })
    assert.deepStrictEqual(works.slice(0, 6).map(isOfCandidate), [true, true, true, true, true, false])
  })

  it("candidates have all slots that ladders have nothing for", () => {
    const { now, state } = season(1)
    for (let n = 2; n <= 9; n++) step(state, submission(n), now)
    assert.lengthOf(lease(state, now, 8).filter(isOfCandidate), 8)
  })

  it("an examination by a machine that plays no matches takes no slot from ladders, so no trial waits for it", () => {
    const { now, state } = season(20, [2], { trial: { matches: 1 } })
    const examiner = { ...RUNNER, key: "examiner", matches: false }
    for (let n = 101; n <= 103; n++) step(state, submission(n), now)
    const reviews = step(state, { _tag: "LeaseWork", ...examiner, max: 4 }, now)
    assert.lengthOf(reviews, 3)
    step(state, { _tag: "ReportAdmission", key: "examiner", lease: reviews[0]!.lease, verdict: ADMITTED }, now + 20_000)
    const copy = restore(structuredClone(snapshot(state)))
    for (const each of [state, copy]) {
      assert.strictEqual(each.candidates_ahead_ms, 0)
      assert.deepStrictEqual(lease(each, now + 20_000, 2).map(isOfCandidate), [true, false])
    }
  })

  it("a restored season goes on as the one before", () => {
    const { now, state } = season(20, [2], { trial: { matches: 4 } })
    play(state, now + 1, { lasts_ms: 900_000, slots: 1, slow: 2 })
    assert.isAbove(state.candidates_ahead_ms, 0)
    const copy = restore(structuredClone(snapshot(state)))
    const wanted = { lasts_ms: 900_000, slots: 1, slow: 0 }
    assert.deepStrictEqual(play(copy, now + 1_000_000, wanted), play(state, now + 1_000_000, wanted))
  })
})
