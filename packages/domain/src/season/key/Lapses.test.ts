import { assert, describe, it } from "@effect/vitest"
import type { Command, Work } from "../Command.ts"
import { returned } from "../clock/Absence.ts"
import type { Verdict } from "../entry/Verdict.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { ADMITTED, finish, lease, outcome, RUNNER, season, submission } from "../testing/testSeason.ts"
import { LAPSES_FREE, LAPSES_MAX } from "./Lapses.ts"

const OTHER = { ...RUNNER, runner: "other", key: "other" }
const take = (state: State, now: number, max = 64): ReadonlyArray<Work> => step(state, { _tag: "LeaseWork", ...OTHER, max }, now)
const answer = (state: State, work: Work, now: number) =>
  step(state, { _tag: "ReportMatch", key: OTHER.key, lease: work.lease, outcome: outcome(2) }, now)

/** A field in which the other key has let `lapses` leases run out; answers a time more than half a minute after. */
const begin = (lapses: number) => {
  const { now, state } = season(120) // enterAll's key has brought results
  let at = now
  for (let left = lapses; left > 0; at += 61_000) left -= take(state, at, left).length
  step(state, { _tag: "Tick" }, at)
  return { now: at, state }
}

describe("a key under which leases run out", () => {
  it("is given all it asks for until they are too many, then one at a time, and others all that is left", () => {
    const { now: free, state: little } = begin(LAPSES_FREE)
    assert.isAbove(take(little, free).length, 9)
    const { now, state } = begin(LAPSES_FREE + 1)
    assert.deepStrictEqual(
      [little, state].map(({ writes }) => writes.keptBack),
      [[], [OTHER.key]]
    )
    const [work, ...more] = take(state, now)
    assert.isEmpty(more)
    assert.isEmpty(take(state, now + 1), "it holds one")
    assert.isAbove(lease(state, now + 1, 64).length, 9)
    assert.deepInclude(answer(state, work!, now + 2), { accepted: true })
    assert.isAbove(take(state, now + 3).length, 0)
  })

  it("has made good for them after a few results, however many they were, and a restored season knows", () => {
    const { now, state } = begin(3 * LAPSES_MAX)
    let current = state
    let at = now
    for (let n = LAPSES_FREE; n < LAPSES_MAX; n++) {
      const works = take(current, ++at)
      assert.lengthOf(works, 1, `${n}`)
      answer(current, works[0]!, ++at)
      current = restore(structuredClone(snapshot(current)))
    }
    assert.isAbove(take(current, at + 1).length, 9)
  })

  it("is not kept back where nobody else has brought results within a day", () => {
    const { now, state } = begin(3 * LAPSES_MAX)
    assert.lengthOf(take(state, now), 1)
    const later = now + 86_400_000
    step(state, { _tag: "Tick" }, later)
    assert.isAbove(take(state, later).length, 9)
  })

  it("is not kept back where the only other one is such a key too, until that one brings results", () => {
    const { now, state } = begin(LAPSES_FREE + 1)
    let at = now
    for (let left = LAPSES_FREE + 1; left > 0; at += 61_000) left -= lease(state, at, left).length
    step(state, { _tag: "Tick" }, at)
    const [work] = lease(state, at, 1)
    const [first, ...more] = take(state, at, 2)
    assert.lengthOf(more, 1)
    finish(state, work!, at + 1)
    assert.isEmpty(take(state, at + 1), "it holds two")
    answer(state, first!, at + 2)
    assert.isAbove(take(state, at + 2).length, 1, "and has made good")
  })

  it("makes good by models that it examines, and by none that it could not", () => {
    const { now, state } = begin(LAPSES_FREE + 2)
    const submit = (n: number, at: number) => {
      step(state, submission(n), at)
      const [work, ...more] = take(state, at)
      assert.strictEqual(work!.kind, "admission")
      assert.isEmpty(more)
      return work!.lease
    }
    const report = (lease: string, verdict: Verdict, at: number) =>
      step(state, { _tag: "ReportAdmission", key: OTHER.key, lease, verdict }, at)
    report(submit(901, now), { verdict: "failed", detail: "no room" }, now + 1)
    assert.isEmpty(take(state, now + 30_000))
    for (const n of [902, 903, 904]) report(submit(n, now + 60_000 + n), ADMITTED, now + 60_000 + n)
    assert.isAbove(take(state, now + 62_000).length, 9)
  })

  it("examines as before where nobody else does, and plays one match at a time", () => {
    const { now, state } = begin(LAPSES_MAX)
    const later = now + 86_400_000
    for (const n of [901, 902, 903]) step(state, submission(n), later)
    finish(state, step(state, { _tag: "LeaseWork", ...RUNNER, admissions: false, max: 1 }, later)[0]!, later)
    assert.deepStrictEqual(
      take(state, later).map(({ kind }) => kind),
      ["admission", "admission", "admission"]
    )
    const copy = restore(structuredClone(snapshot(state)))
    for (const each of [state, copy]) assert.isEmpty(take(each, later + 1), "it holds three")
  })

  it("is given nothing for half a minute after the last of them", () => {
    const { now, state } = begin(LAPSES_MAX)
    take(state, now)
    step(state, { _tag: "Tick" }, now + 30_000) // it has run out
    assert.isEmpty(take(state, now + 59_999))
    assert.lengthOf(take(state, now + 60_000), 1)
  })

  it.each<readonly [string, (lease: string) => Command]>([
    ["gives them back as soon as it has them", (lease) => ({ _tag: "Release", key: OTHER.key, lease })],
    [
      "can play no match",
      (lease) => ({ ...{ _tag: "ReportFault", key: OTHER.key, lease }, fault_reason: "weights_unavailable", detail: "" })
    ]
  ])("or which %s, fails no match of the others", (_, answer) => {
    const { now, state } = season(40)
    let [taken, played, failed] = [0, 0, 0]
    for (let at = now; at < now + 600_000; at += 1_000) {
      for (let n = 0; n < 10; n++)
        for (const work of take(state, at)) {
          taken++
          step(state, answer(work.lease), at)
        }
      for (const work of lease(state, at, 64)) {
        finish(state, work, at)
        played++
      }
      failed += state.writes.ended.filter(({ ending }) => ending === "failed").length
      state.writes.ended.length = 0
    }
    assert.isAtMost(taken, LAPSES_FREE + 64 + 600 / 30)
    assert.strictEqual(failed, 0)
    assert.isAbove(played, 5_000)
  })

  it("counts none that a runner has worked on and gives back, as one that is stopped does", () => {
    const { now, state } = season(120)
    for (let n = 0; n < 3 * LAPSES_MAX; n++) {
      const at = now + n * 10_000
      for (const work of take(state, at)) step(state, { _tag: "Release", key: OTHER.key, lease: work.lease }, at + 5_000)
    }
    assert.isAbove(take(state, now + 1_000_000).length, 9)
  })

  it("is given work again though a clock that was ahead has seen the last of them", () => {
    const { now, state } = begin(LAPSES_MAX)
    const before = now - 60_000
    returned(state, { now: before, latest: before })
    assert.lengthOf(take(state, before + 30_000), 1)
  })

  it("leaves the work to others, as it comes back", () => {
    const { now, state } = begin(LAPSES_MAX)
    let played = 0
    for (let at = now; at < now + 3_600_000; at += 1_000) {
      take(state, at)
      for (const work of lease(state, at, 64)) {
        finish(state, work, at)
        played++
      }
    }
    const suspended = [...state.versions_by_id.values()].filter(({ phase }) => phase === "suspended")
    assert.isEmpty(suspended)
    assert.isAbove(played, 10_000)
  })
})
