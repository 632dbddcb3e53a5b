import { assert, describe, it } from "vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { drawProfile, type Foretold, PlayedSeason } from "../testing/playedSeason.ts"
import { DIGEST, empty, finish, lease, OPENED, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import { type Forecast, forecast, type Reach } from "./Forecast.ts"
import { begin, COUNTS_KEPT, observe, type Pace } from "./Pace.ts"

const REACH: Reach = { admitters: 1, players: 1 }
const NOBODY: Reach = { admitters: 0, players: 0 }

const look = (state: State, pace: Pace, n: number, reach = REACH): Forecast => forecast({ state, pace, reach, now: state.now }, version(n))

/** Matches that last `match_ms` each, one after another. */
const play = (state: State, pace: Pace, from: number, matches: number, match_ms: number): number => {
  let now = from
  for (let i = 0; i < matches; i++) {
    const [work] = lease(state, now)
    observe(pace, state)
    committed(state)
    now += match_ms
    finish(state, work!, now)
    observe(pace, state)
    committed(state)
  }
  return now
}

describe("what a candidate waits for", () => {
  it("is its files, then a runner that examines it, then its trial; no figure is told while none is known", () => {
    const { state } = season(0)
    const pace = begin(state)
    step(state, submission(1, { files: null }), OPENED)
    assert.deepStrictEqual(look(state, pace, 1), { waiting: { reason: "upload", ahead: 0, eta_s: null }, next_match_eta_s: null })
    step(state, submission(2), OPENED)
    step(state, submission(3), OPENED)
    assert.deepStrictEqual(look(state, pace, 3).waiting, { reason: "admission_queue", ahead: 1, eta_s: null })
    assert.deepStrictEqual(look(state, pace, 3, NOBODY).waiting, { reason: "no_admitter", ahead: 1, eta_s: null })
    for (const work of lease(state, OPENED)) finish(state, work, OPENED)
    assert.deepStrictEqual(look(state, pace, 2).waiting, { reason: "trial", ahead: 0, eta_s: null })
    assert.deepStrictEqual(look(state, pace, 2, NOBODY).waiting, { reason: "no_runner", ahead: 0, eta_s: null })
    assert.strictEqual(look(state, pace, 3).waiting!.ahead, 0)
  })

  it("is another key without a time, where its refusal is to be confirmed: nobody knows whether one comes", () => {
    const { now, state } = season(2, [2], { trial: { matches: 2 } })
    const pace = begin(state)
    step(state, submission(5), now) // gives the pace of reviews
    const at = play(state, pace, now, 40, 5_000)
    step(state, submission(3), at)
    step(state, submission(4), at)
    const examine = (key: string) => step(state, { _tag: "LeaseWork", ...RUNNER, key, matches: false, max: 1 }, at)
    assert.deepInclude(examine("k2")[0], { version: version(3) })
    const [work] = examine(RUNNER.key)
    assert.isNotNull(look(state, pace, 4).waiting!.eta_s)
    const verdict = { verdict: "rejected", runtime_version: "ort", reject_reason: "too_slow", reject_detail: "" } as const
    step(state, { _tag: "ReportAdmission", key: RUNNER.key, lease: work!.lease, verdict }, at)
    assert.deepStrictEqual(look(state, pace, 4).waiting, { reason: "admission_queue", ahead: 0, eta_s: null })
  })

  it("is a board, where none is in play", () => {
    const state = empty()
    step(state, submission(1), OPENED)
    for (const work of lease(state, OPENED)) finish(state, work, OPENED)
    assert.deepStrictEqual(look(state, begin(state), 1).waiting, { reason: "no_board", ahead: 0, eta_s: null })
  })

  it("counts the trial matches before its own", () => {
    const { now, state } = season(2, [2], { trial: { matches: 2 } })
    const pace = begin(state)
    const at = play(state, pace, now, 40, 5_000)
    for (const n of [3, 4]) step(state, submission(n), at)
    for (const _ of [3, 4]) finish(state, lease(state, at)[0]!, at)
    const [first, second] = [look(state, pace, 3).waiting!, look(state, pace, 4).waiting!]
    assert.deepStrictEqual([first.reason, first.ahead, second.reason, second.ahead], ["trial", 0, "trial", 2])
    assert.isAtLeast(second.eta_s![1], 10)
    assert.isAtMost(second.eta_s![1], 60)
  })

  it("is nothing once it is rejected, superseded or closed", () => {
    const { now, state } = season(2)
    const pace = begin(state)
    assert.deepStrictEqual(look(state, pace, 9), { waiting: null, next_match_eta_s: null })
    step(state, { _tag: "CloseSeason" }, now + 1)
    assert.deepStrictEqual(look(state, pace, 1), { waiting: null, next_match_eta_s: null })
  })
})

describe("an entry", () => {
  it("is told when it plays next, once the pace of its ladder is known", () => {
    const { now, state } = season(12)
    const pace = begin(state)
    assert.deepStrictEqual(look(state, pace, 1), { waiting: null, next_match_eta_s: null })
    play(state, pace, now, 60, 10_000)
    for (let n = 1; n <= 12; n++) {
      const { next_match_eta_s, waiting } = look(state, pace, n)
      assert.isNull(waiting)
      const [low, high] = next_match_eta_s!
      assert.isTrue(Number.isInteger(low) && Number.isInteger(high) && low >= 0 && low < high, `${low} to ${high}`)
      assert.isAtMost(high, 300)
    }
  })

  it("waits for a runner, a board or the opening of the season, and says which", () => {
    const { now, state } = season(2)
    const pace = begin(state)
    assert.deepStrictEqual(look(state, pace, 1, NOBODY).waiting, { reason: "no_runner", ahead: 0, eta_s: null })
    step(state, { _tag: "SwitchBoard", board: "b0", enabled: false }, now)
    assert.deepStrictEqual(look(state, pace, 1).waiting, { reason: "no_board", ahead: 0, eta_s: null })
    state.settings = { ...state.settings, submissions_open_at: now + 90_000 }
    assert.deepStrictEqual(look(state, pace, 1).waiting, { reason: "season_not_open", ahead: 0, eta_s: [90, 90] })
    state.versions_by_id.get(version(1))!.phase = "suspended"
    assert.deepStrictEqual(look(state, pace, 1).waiting, { reason: "suspended", ahead: 0, eta_s: null })
  })

  it("that its round owes no match waits for the next round, and without one for nobody knows what", () => {
    const { now, state } = season(4)
    const pace = begin(state)
    step(state, { _tag: "PlanRound", kind: "round", games: 2, starts_at: now + 1_000 }, now)
    let at = now + 2_000
    for (; at < now + 400_000; at += 10_000) {
      for (const work of step(
        state,
        { _tag: "LeaseWork", runner: "r1", key: "k1", fleet: "platform", engine_digest: DIGEST, matches: true, admissions: true, max: 1 },
        at
      )) {
        observe(pace, state)
        finish(state, work, at + 9_000)
        observe(pace, state)
        committed(state)
      }
    }
    assert.deepStrictEqual(look(state, pace, 1), { waiting: null, next_match_eta_s: null })
    step(state, { _tag: "PlanRound", kind: "round", games: 2, starts_at: at + 3_600_000 }, at)
    const [low, high] = look(state, pace, 1).next_match_eta_s!
    assert.isAtLeast(low, 3_600)
    assert.isAtMost(high, 3_800)
  })
})

describe("the pace of a season", () => {
  it("is that of the time before the season was read anew only after a few matches, and counts no match twice", () => {
    const { now, state } = season(6)
    const [work] = lease(state, now)
    const pace = begin(state)
    assert.deepStrictEqual([...pace.began.values()], [null])
    step(state, { _tag: "Heartbeat", key: "k1", leases: [work!.lease] }, now + 1_000)
    observe(pace, state)
    finish(state, work!, now + 2_000)
    observe(pace, state)
    assert.deepStrictEqual([pace.match_ms, pace.began.size, pace.starts.flat().length], [null, 0, 0])
  })

  it("takes no more memory for more matches", () => {
    const { now, state } = season(6)
    const pace = begin(state)
    play(state, pace, now, 300, 100)
    assert.isAtMost(Math.max(...pace.starts.map(({ length }) => length)), COUNTS_KEPT)
    assert.strictEqual(pace.began.size, 0)
    play(state, pace, now + 1e6, 300, 3_000)
    assert.isAtMost(Math.max(...pace.starts.map(({ length }) => length)), COUNTS_KEPT)
  })
})

const SEEDS = Array.from({ length: 8 }, (_, i) => i + 1)
const WANTED = 0.8

describe("over seasons that are played", () => {
  it(`more than ${100 * WANTED} % of matches start inside of their interval, early and late alike, and the intervals are no wider than they need to be`, () => {
    const all = SEEDS.flatMap((seed) => new PlayedSeason(drawProfile(seed), seed).play())
    const known = all.filter((one): one is Foretold & { eta_s: readonly [number, number] } => one.eta_s !== null)
    const inside = (some: typeof known) =>
      some.filter(({ eta_s: [low, high], started_s }) => started_s >= low && started_s <= high).length / some.length
    for (const [what, some] of Map.groupBy(known, (one) => one.what)) {
      console.log(`${what}: ${some.length} forecasts, ${(100 * inside(some)).toFixed(1)} % of the matches started inside`)
    }
    console.log(`all: ${known.length} of ${all.length} with figures, ${(100 * inside(known)).toFixed(1)} % inside`)
    assert.isAbove(known.length, 0.8 * all.length)
    assert.isAtLeast(inside(known), WANTED)
    for (const what of ["next_match", "trial", "admission_queue"])
      assert.isAtLeast(inside(known.filter((one) => one.what === what)), WANTED, what)
    const wide = known.map(({ eta_s: [, high], started_s }) => high / Math.max(1, started_s)).toSorted((a, b) => a - b)
    assert.isBelow(wide[Math.floor(wide.length / 2)]!, 5)
  })
})
