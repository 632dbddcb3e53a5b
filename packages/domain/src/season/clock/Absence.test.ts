import { assert, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { seriesDue } from "../rating/Series.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import {
  addBoard,
  empty,
  finish,
  lease,
  model,
  OPENED,
  outcome,
  owner,
  RUNNER,
  season,
  settings,
  submission,
  version
} from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import { returned } from "./Absence.ts"

const DAY_MS = 86_400_000

/** The same season, by its rows. */
const restored = (state: State, back: number): State => {
  committed(state)
  const again = restore(structuredClone(snapshot(state)))
  returned(again, { now: back, latest: back })
  return again
}

const LOST = [version(3), version(4)]

/** Finals of four in which two have played their games, and the files of the other two are lost: a few minutes of them. */
const inVain = () => {
  const { now, state } = season(4)
  step(state, { _tag: "PlanRound", kind: "finals", games: 1, starts_at: now + 1_000 }, now)
  for (let i = 1; state.failing?.played !== state.played || state.failing.n! < 20; i++) {
    const [key, at] = [`k${i % 2}`, now + i * 1_000]
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, at)
    if (work?.kind !== "match") continue
    const lost = work.versions.find((id) => LOST.includes(id))
    const about = { key, lease: work.lease }
    if (lost === undefined) step(state, { _tag: "ReportMatch", ...about, outcome: outcome(2) }, at)
    else step(state, { _tag: "ReportFault", ...about, fault_reason: "weights_unavailable", version: lost, detail: "" }, at)
  }
  return { state, since: state.failing.since! }
}

it("a day in which finals are tried in vain is one in which the season was there", () => {
  const { since, state } = inVain()
  const away_ms = 3 * DAY_MS
  const back = state.now + away_ms
  const again = restored(state, back)
  assert.isTrue(again.writes.head)
  step(again, { _tag: "Tick" }, back)
  step(again, { _tag: "Tick" }, since + away_ms + DAY_MS - 1)
  assert.strictEqual(again.phase, "open")
  step(again, { _tag: "Tick" }, since + away_ms + DAY_MS)
  assert.strictEqual(again.close_requested_at, since + away_ms + DAY_MS)
  step(state, { _tag: "Tick" }, since + DAY_MS) // the one that stayed
  assert.strictEqual(state.close_requested_at, since + DAY_MS)
})

it("a season that closes gives what is played its minute, and not the time in which it was away", () => {
  const { now, state } = season(4)
  const [work, other] = step(state, { _tag: "LeaseWork", ...RUNNER, max: 2 }, now)
  step(state, { _tag: "CloseSeason" }, now + 1_000)
  const back = now + 11_000 + DAY_MS
  step(state, { _tag: "Tick" }, now + 11_000)
  const again = restored(state, back)
  step(again, { _tag: "Tick" }, back)
  assert.strictEqual(again.phase, "closing")
  const told = { _tag: "ReportMatch", key: RUNNER.key, lease: work!.lease, outcome: outcome(2) } as const
  assert.deepStrictEqual(step(again, told, back + 1_000), { accepted: true })
  step(again, { _tag: "Heartbeat", key: RUNNER.key, leases: [other!.lease] }, back + 29_000)
  step(again, { _tag: "Tick" }, back + 49_999)
  assert.strictEqual(again.phase, "closing")
  step(again, { _tag: "Tick" }, back + 50_000)
  assert.strictEqual(again.closed_at, back + 50_000)
})

const HOUR_MS = 3_600_000

it("a season that was closed by a clock that was an hour ahead closes a minute after that is right again", () => {
  const { now, state } = season(2)
  const [work] = lease(state, now + HOUR_MS)
  step(state, { _tag: "CloseSeason" }, now + HOUR_MS)
  const again = restored(state, now + 1_000)
  assert.strictEqual(again.close_requested_at, now + 1_000)
  for (const at of [now + 20_000, now + 40_000]) step(again, { _tag: "Heartbeat", key: RUNNER.key, leases: [work!.lease] }, at)
  step(again, { _tag: "Tick" }, now + 60_999)
  assert.strictEqual(again.phase, "closing")
  step(again, { _tag: "Tick" }, now + 61_000)
  assert.strictEqual(again.closed_at, now + 61_000)
})

it("a season whose clock was an hour ahead goes on with its series once that is right again", () => {
  const { now, state } = season(2)
  for (const at of [now + HOUR_MS, now + 2 * HOUR_MS]) for (const work of lease(state, at)) finish(state, work, at)
  assert.isAbove(state.series_at, now)
  const again = restored(state, now + 1_000)
  for (const work of lease(again, now + 2_000)) finish(again, work, now + 2_000)
  assert.isAtMost(seriesDue(again), now + 61_000)
})

it("a day in which finals are tried in vain begins at the latest when a clock that was ahead is right again", () => {
  const { since, state } = inVain()
  const right = since - HOUR_MS
  const again = restored(state, right)
  assert.strictEqual(again.failing!.since, right)
  step(again, { _tag: "Tick" }, right + DAY_MS - 1)
  assert.strictEqual(again.phase, "open")
  step(again, { _tag: "Tick" }, right + DAY_MS)
  assert.strictEqual(again.close_requested_at, right + DAY_MS)
})

it("times that were taken before the clock was ahead stay", () => {
  const { since, state } = inVain()
  const { series_at } = state
  step(state, { _tag: "Tick" }, since + HOUR_MS)
  const again = restored(state, since + 60_000)
  assert.deepStrictEqual([again.now, again.failing!.since, again.series_at], [since + 60_000, since, series_at])
  assert.deepStrictEqual([again.put_back, restored(again, since + 60_000).put_back, restored(again, since).put_back], [1, 1, 2])
})

it("a match that failed by a clock that was ahead is given to the same key again after the usual half minute", () => {
  const { now, state } = season(2)
  state.keys = [...state.keys, { key: "another", at: now }]
  const [work] = lease(state, now + HOUR_MS)
  if (work?.kind !== "match") return assert.fail("no match")
  const fault = { _tag: "ReportFault", key: RUNNER.key, lease: work.lease, fault_reason: "engine_fault", detail: "" } as const
  step(state, fault, now + HOUR_MS)
  const right = now + 1_000
  const again = restored(state, right)
  assert.deepStrictEqual([...again.writes.live], [work.match])
  const isIts = (each: Work) => each.kind === "match" && each.match === work.match
  assert.isFalse(lease(again, right + 29_999).some(isIts))
  committed(again)
  step(again, { _tag: "Tick" }, right + 30_000)
  assert.isTrue(again.events.some(({ _tag }) => _tag === "WorkAppeared"))
  assert.isTrue(lease(again, right + 30_000).some(isIts))
})

it("a review that failed by a clock that was ahead is given to the same key again after the usual half minute", () => {
  const { now, state } = season(2)
  step(state, submission(9), now)
  const [work] = lease(state, now + HOUR_MS)
  if (work?.kind !== "admission") return assert.fail("no review")
  const failed = { verdict: "failed", detail: "" } as const
  step(state, { _tag: "ReportAdmission", key: RUNNER.key, lease: work.lease, verdict: failed }, now + HOUR_MS)
  const right = now + 1_000
  const again = restored(state, right)
  const isReview = (each: Work) => each.kind === "admission"
  assert.isFalse(lease(again, right + 29_999).some(isReview))
  assert.isTrue(lease(again, right + 30_000).some(isReview))
})

it("a match that was made by a clock that was ahead was played for as long as its runner says", () => {
  const { now, state } = season(2)
  const [work] = lease(state, now + HOUR_MS)
  const again = restored(state, now + 1_000)
  finish(again, work!, now + 2_000)
  assert.strictEqual(again.writes.ended[0]!.played_ms, outcome(2).played_ms)
})

it("files that were announced by a clock that was ahead may come for as long as those of a new version", () => {
  const { now, state } = season(2)
  step(state, submission(8, { files: null }), now)
  step(state, submission(9, { files: null }), now + HOUR_MS / 4)
  const window_ms = state.settings.rules.upload_window_s * 1_000
  const right = now + 1_000
  const again = restored(state, right)
  assert.deepStrictEqual([...again.writes.versions], [version(9)])
  const waiting = (at: number) => {
    step(again, { _tag: "Tick" }, at)
    return [8, 9].filter((n) => again.versions_by_id.has(version(n)))
  }
  assert.deepStrictEqual(waiting(now + window_ms - 1), [8, 9])
  assert.deepStrictEqual(waiting(now + window_ms), [9])
  assert.deepStrictEqual(waiting(right + window_ms - 1), [9])
  assert.deepStrictEqual(waiting(right + window_ms), [])
})

it("a submission by a clock that was ahead costs its owner no more than the cooldown", () => {
  const { now, state } = season(2, [2], { trial: { matches: 1 }, cooldown_s: 600 })
  for (const n of [8, 9]) step(state, submission(n, { files: null }), now + HOUR_MS)
  const right = now + 2_000
  const again = restored(state, right)
  const until = (n: number, at: number) => {
    const asked = { _tag: "Preflight", owner: owner(n), model: model(n), hashes: null, eligible: true, retired: false } as const
    return step(again, asked, at).holdings.cooldown_until
  }
  assert.strictEqual(until(8, right), right + 600_000)
  assert.strictEqual(until(8, right + 599_999), right + 600_000)
  assert.isNull(until(8, right + 600_000))
})

it("a submission by a clock that was ahead, of which no files came, costs its owner no cooldown", () => {
  const { now, state } = season(2, [2], { trial: { matches: 1 }, cooldown_s: 600 })
  step(state, submission(9, { files: null }), now + HOUR_MS)
  const again = restored(state, now + 1_000)
  step(again, { _tag: "RejectFiles", version: version(9), reject_reason: "upload_expired", reject_detail: "" }, now + 2_000)
  const { refused } = step(again, submission(9, { version: version(10), number: 2 }), now + 3_000) as { refused?: unknown }
  assert.isUndefined(refused)
})

it("keys that were seen or revoked by a clock that was ahead are forgotten no later than others", () => {
  const { now, state } = season(2)
  for (const work of lease(state, now + DAY_MS)) finish(state, work, now + DAY_MS)
  step(state, { _tag: "RevokeKey", key: "another" }, now + DAY_MS)
  const right = now + 1_000
  const again = restored(state, right)
  assert.deepStrictEqual(again.keys, [{ key: RUNNER.key, at: right }])
  const given = (at: number) => step(again, { _tag: "LeaseWork", ...RUNNER, key: "another", max: 1 }, at).length
  assert.deepStrictEqual([given(right + 119_999), given(right + 120_000)], [0, 1])
})

it("a season that was opened by a clock that was ahead is not edited as a scheduled one: its matches were made by its rules", () => {
  const before = OPENED - 2 * HOUR_MS
  const state = empty()
  addBoard(state, "b0", 2, before)
  for (const n of [1, 2]) {
    step(state, submission(n, { owner: null }), before)
    for (const work of lease(state, before)) finish(state, work, before)
    step(state, { _tag: "SwitchBaseline", version: version(n), enabled: true }, before)
  }
  const weight_classes = settings().weight_classes.map((each, i) => ({ ...each, max_bytes: 200 * 4 ** i }))
  const edit = { _tag: "EditSettings", settings: { weight_classes }, scheduledOnly: true } as const
  assert.deepStrictEqual(step(restored(state, before + 1), edit, before + 2), { edited: true })
  const [work] = lease(state, OPENED)
  const again = restored(state, OPENED - HOUR_MS)
  assert.deepStrictEqual<unknown>(step(again, edit, OPENED - HOUR_MS), { refused: "season_not_scheduled" })
  assert.deepStrictEqual(finish(again, work!, OPENED - HOUR_MS + 1), { accepted: true })
})
