import { assert, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { committed, restore, type State, snapshot } from "../State.ts"
import { outcome, RUNNER, season, version } from "../testing/testSeason.ts"
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
    else
      step(
        state,
        { _tag: "ReportFault", ...about, runtime_version: null, fault_reason: "weights_unavailable", version: lost, detail: "" },
        at
      )
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
