import { assert, describe, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { returned } from "../clock/Absence.ts"
import { OPINION_MS } from "../Lease.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { ADMITTED, outcome, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

type MatchWork = Extract<Work, { kind: "match" }>

const take = (state: State, key: string, now: number) =>
  step(state, { _tag: "LeaseWork", ...RUNNER, runner: `runner of ${key}`, admissions: false, key, max: 1 }, now)[0] as MatchWork | undefined

/** The candidate reaches the strike limit, or plays well; the other seat wins. */
const report = (state: State, key: string, work: MatchWork, struck: boolean, now: number) => {
  const own = work.versions.indexOf(version(9))
  const played = outcome(2, 1 - own)
  const seats = played.seats.map((seat, i) =>
    i === own ? { ...seat, strikes: struck ? state.settings.rules.match.strike_limit : 0 } : seat
  )
  return step(state, { _tag: "ReportMatch", key, lease: work.lease, outcome: { ...played, seats } }, now)
}

const trial = (state: State, key: string, struck: boolean, now: number) => {
  const work = take(state, key, now)
  if (work === undefined) throw new Error(`${key} is given nothing`)
  assert.isTrue(work.is_trial)
  return report(state, key, work, struck, now)
}

/** Candidate 9 has passed its review and plays `matches` in trial; each of these keys has brought a result. */
const onTrial = (keys: ReadonlyArray<string>, matches = 1) => {
  const { now, state } = season(2, [2], { trial: { matches } })
  let at = now
  for (const key of keys) {
    const work = take(state, key, ++at)!
    step(state, { _tag: "ReportMatch", key, lease: work.lease, outcome: outcome(2) }, at)
  }
  state.keys = keys.map((key) => ({ key, at }))
  step(state, submission(9), at)
  const review = step(state, { _tag: "LeaseWork", ...RUNNER, matches: false, max: 1 }, at)[0]!
  step(state, { _tag: "ReportAdmission", key: RUNNER.key, lease: review.lease, verdict: ADMITTED }, at)
  committed(state)
  return { state, at }
}

const phase = (state: State) => state.versions_by_id.get(version(9))?.phase ?? state.versions_by_id.get(version(9))?.status ?? "rejected"

describe("a trial match that the candidate fails", () => {
  it("counts at once where no other key plays", () => {
    const { at, state } = onTrial(["k1"])
    trial(state, "k1", true, at + 1)
    assert.strictEqual(phase(state), "rejected")
  })

  it("is played again by another key, also after a restart, and counts when that confirms it", () => {
    let { at, state } = onTrial(["k1", "k2"])
    const work = take(state, "k1", at + 1)!
    assert.deepStrictEqual(report(state, "k1", work, true, at + 2), { accepted: true, answered: true })
    assert.deepStrictEqual(report(state, "k1", work, true, at + 3), { accepted: true, answered: true }, "the repeat")
    assert.strictEqual(phase(state), "trial")
    committed(state)
    state = restore(structuredClone(snapshot(state)))
    assert.notStrictEqual(take(state, "k1", at + 4)?.match, work.match, "its key leaves it to others")
    const again = take(state, "k2", at + 5)!
    assert.deepStrictEqual([again.match, again.seed], [work.match, work.seed])
    report(state, "k2", again, true, at + 6)
    assert.strictEqual(phase(state), "rejected")
    assert.deepStrictEqual(state.writes.audits, [])
  })

  it("counts for nothing where another key plays it well, and the log names the runner", () => {
    const { at, state } = onTrial(["k1", "k2"])
    trial(state, "k1", true, at + 1)
    trial(state, "k2", false, at + 2)
    assert.strictEqual(phase(state), "entered")
    assert.deepStrictEqual(
      state.writes.audits.map(({ action, subject }) => [action, subject]),
      [["runner.doubt", "runner of k1"]]
    )
    const [ended] = state.writes.ended.filter(({ candidate }) => candidate !== null)
    assert.deepInclude(ended, { ending: "finished", key: "k2" })
  })

  it("is played again by the same key where nobody else comes for five minutes, and counts then", () => {
    const { at, state } = onTrial(["k1", "k2"])
    trial(state, "k1", true, at + 1)
    const before = take(state, "k1", at + OPINION_MS)
    assert.isFalse(before?.is_trial === true, "not yet")
    committed(state)
    step(state, { _tag: "Tick" }, at + 1 + OPINION_MS)
    assert.isTrue(
      state.events.some(({ _tag }) => _tag === "WorkAppeared"),
      "a runner that waits is told"
    )
    trial(state, "k1", true, at + 1 + OPINION_MS)
    assert.strictEqual(phase(state), "rejected")
  })

  it("is left to others for as long after an absence of the season, in which they were away as well", () => {
    const { at, state } = onTrial(["k1", "k2"])
    trial(state, "k1", true, at + 1)
    committed(state)
    const again = restore(structuredClone(snapshot(state)))
    const back = at + 1 + OPINION_MS
    returned(again, { now: back, latest: back })
    assert.isFalse(take(again, "k1", back + OPINION_MS - 1)?.is_trial === true, "not yet")
    assert.isTrue(take(again, "k1", back + OPINION_MS)?.is_trial)
  })

  it("is confirmed once: further failures of the candidate count at once", () => {
    const { at, state } = onTrial(["k1", "k2"], 2)
    const [first, , second] = [1, 2, 3].map(() => take(state, "k1", at + 1)!) // the slot between them is a ladder's
    report(state, "k1", first!, true, at + 2)
    report(state, "k2", take(state, "k2", at + 3)!, true, at + 4)
    assert.strictEqual(phase(state), "trial")
    assert.deepStrictEqual(report(state, "k1", second!, true, at + 5), { accepted: true })
    assert.strictEqual(phase(state), "rejected")
  })

  it("that its runner reports late is played again too, and the lost lease still counts", () => {
    const { at, state } = onTrial(["k1", "k2"])
    const work = take(state, "k1", at + 1)!
    step(state, { _tag: "Tick" }, at + 40_000)
    assert.deepStrictEqual(report(state, "k1", work, true, at + 40_001), { accepted: true, answered: true })
    const match = state.live.get(work.match)!
    assert.deepStrictEqual([match.losses, match.tries.map(({ reason }) => reason)], [1, ["struck_out"]])
    trial(state, "k2", false, at + 40_002)
    assert.strictEqual(phase(state), "entered")
  })
})
