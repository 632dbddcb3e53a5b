import { assert, describe, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { returned } from "../clock/Absence.ts"
import { matchLeaseMax_ms, REVIEW_LEASE_MAX_MS } from "../Lease.ts"
import { DEFAULT_RULES, type Rules } from "../Rules.ts"
import { deadline, step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { lease, OPENED, outcome, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const EVERY_MS = 10_000
const MATCH_MAX_MS = matchLeaseMax_ms(DEFAULT_RULES, 2)

const beat = (state: State, work: Work, now: number) => step(state, { _tag: "Heartbeat", key: RUNNER.key, leases: [work.lease] }, now)[0]!

/** Beats from `from` until the lease is lost; answers when that was, and the last end that was promised. */
const cling = (state: State, work: Work, from: number): { readonly lost: number; readonly until: number } => {
  let until = work.until
  for (let now = from; ; now += EVERY_MS) {
    const answer = beat(state, work, now)
    if ("lost" in answer) return { lost: now, until }
    assert.isAtLeast(answer.until, until)
    until = answer.until
  }
}

describe("a lease that is renewed for ever", () => {
  it("of a match ends at its longest life, goes back to the queue and counts as an attempt; after three the match fails", () => {
    const { state, now } = season(2)
    let at = now
    for (let attempt = 1; attempt <= 3; attempt++) {
      const [work] = lease(state, at)
      const { lost, until } = cling(state, work!, at)
      assert.strictEqual(until, at + MATCH_MAX_MS)
      assert.isAtMost(lost, until + EVERY_MS)
      if (attempt === 3) break
      const match = state.live.get(work!.lease.split(".")[0]!)!
      assert.deepInclude(match, { losses: attempt, leased_at: null, until: null })
      assert.deepInclude(match.tries.at(-1), { n: attempt, key: RUNNER.key, reason: "runner_lost" })
      at = lost
    }
    assert.deepStrictEqual(
      state.writes.ended.filter(({ ending }) => ending === "failed").map(({ fault_reason }) => fault_reason),
      ["runner_lost"]
    )
  })

  it("of a trial ends as well, and its candidate is tried again", () => {
    const { state } = season(0, [2], { trial: { matches: 1 } })
    step(state, submission(1), OPENED)
    const [review] = lease(state, OPENED)
    step(
      state,
      {
        ...{ _tag: "ReportAdmission", key: RUNNER.key, lease: review!.lease },
        verdict: { verdict: "admitted", runtime_version: "ort", param_count: 1, infer_us: 1, memory: { flat: 0, cell: 0 } }
      },
      OPENED
    )
    const [trial] = lease(state, OPENED)
    const { until } = cling(state, trial!, OPENED)
    assert.strictEqual(until, OPENED + MATCH_MAX_MS)
    assert.strictEqual(state.live.get(trial!.lease.split(".")[0]!)!.losses, 1)
  })

  it("ends by rules that were edited meanwhile, in a restored season no sooner than in this one", () => {
    const { state, now } = season(2)
    const [work] = lease(state, now)
    const shorter = { infer_us_max: 1, match: { ...DEFAULT_RULES.match, max_turns: 1, strike_limit: 1 } }
    const late = now + matchLeaseMax_ms(shorter, 2)
    for (let at = now; at < late; at += EVERY_MS) beat(state, work!, at)
    step(state, { _tag: "EditSettings", settings: { rules: shorter }, scheduledOnly: false }, late)
    beat(state, work!, late)
    assert.strictEqual(deadline(state), deadline(restore(structuredClone(snapshot(state)))))
  })

  it("of a review ends after an hour, and counts as a failed attempt", () => {
    const { state } = season(0)
    step(state, submission(1), OPENED)
    const [review] = lease(state, OPENED)
    const { until } = cling(state, review!, OPENED)
    assert.strictEqual(until, OPENED + REVIEW_LEASE_MAX_MS)
    assert.strictEqual(state.versions_by_id.get(version(1))!.admit_failures, 1)
  })

  it("ends then also where the season is restored from its rows on the way, and its absence does not count", () => {
    const { state, now } = season(2)
    const [work] = lease(state, now)
    const end = now + MATCH_MAX_MS
    for (let at = now; at < now + 60_000; at += EVERY_MS) beat(state, work!, at)
    committed(state)
    const away_ms = 7_200_000
    const [left, back] = [state.now, state.now + away_ms]
    const restored = restore(structuredClone(snapshot(state)))
    returned(restored, { now: back, latest: back })
    const { until } = cling(restored, work!, back)
    assert.strictEqual(until, end + away_ms)
    const atOnce = restore(structuredClone(snapshot(state)))
    returned(atOnce, { now: left, latest: left })
    assert.strictEqual(cling(atOnce, work!, left).until, end)
  })

  it("counts from the first look at it where an earlier release wrote no start, and from now where its clock was far ahead", () => {
    const { state, now } = season(2)
    const [work] = lease(state, now)
    committed(state)
    for (const leased_at of [null, now + 31_536_000_000]) {
      const rows = structuredClone(snapshot(state))
      const restored = restore({ ...rows, live: rows.live.map((row) => (row.until === null ? row : { ...row, leased_at })) })
      returned(restored, { now, latest: now })
      assert.strictEqual(restored.writes.live.size, 1)
      assert.strictEqual(cling(restored, work!, now).until, now + MATCH_MAX_MS)
    }
  })
})

/**
 * Processor time that a seat may use without a strike: two times the limit a move, and a second at
 * once (sandbox/match/Account.ts).
 */
const seat_ms = ({ infer_us_max, match }: Pick<Rules, "infer_us_max" | "match">) =>
  1_000 + match.max_turns * Math.min(1_000, (2 * infer_us_max) / 1_000)

describe("the longest life of a match's lease", () => {
  it("is ten times what its seats may compute without a strike, and never more than a day", () => {
    for (const seats of [2, 4, 8]) {
      for (const infer_us_max of [1, 20_000, 200_000, 500_000, 1_000_000]) {
        for (const max_turns of [1, 50, 500, 5_000]) {
          const rules = { infer_us_max, match: { max_turns, strike_limit: 1 } }
          assert.isAtLeast(
            matchLeaseMax_ms(rules, seats),
            Math.min(86_400_000, 600_000 + 10 * seats * seat_ms(rules)),
            JSON.stringify(rules)
          )
          assert.isAtMost(matchLeaseMax_ms(rules, seats), 86_400_000)
        }
      }
      assert.isBelow(matchLeaseMax_ms(DEFAULT_RULES, seats), 2 * 3_600_000)
    }
    assert.strictEqual(matchLeaseMax_ms({ infer_us_max: 1_000_000, match: { max_turns: 5_000, strike_limit: 100 } }, 8), 24 * 3_600_000)
  })
})

describe("the time that a report says a match took", () => {
  const reported = (played_ms: number, after_ms: number, away_ms = 0) => {
    const { state: before, now } = season(2)
    const [work] = lease(before, now)
    committed(before)
    const state = restore(structuredClone(snapshot(before)))
    returned(state, { now: now + away_ms, latest: now + away_ms })
    const told = { ...outcome(2), played_ms }
    assert.deepStrictEqual(step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: work!.lease, outcome: told }, now + after_ms), {
      accepted: true
    })
    return state.writes.ended.at(-1)!.played_ms
  }
  it("is kept where the match has existed for as long, and is the match's own age where it has not", () => {
    assert.strictEqual(reported(1_500, 2_000), 1_500)
    assert.strictEqual(reported(2_147_483_647, 2_000), 2_000)
    assert.strictEqual(reported(50_000, 40_000), 40_000) // its lease ran out after 30 s, and nobody has taken the match since
  })

  it("has the time in which the season was away, when the runner played on", () => {
    assert.strictEqual(reported(590_000, 601_000, 600_000), 590_000)
  })
})
