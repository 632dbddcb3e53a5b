import { assert, describe, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { returned } from "../clock/Absence.ts"
import { OPINION_MS } from "../Lease.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { ADMITTED, OPENED, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import type { Verdict } from "./Verdict.ts"

const slow: Verdict = { verdict: "rejected", runtime_version: "ort", reject_reason: "too_slow", reject_detail: "One inference took 2 s." }
const unreadable: Verdict = { ...slow, reject_reason: "weights_unreadable", reject_detail: "It is no ONNX file." }

const take = (state: State, key: string, now: number): ReadonlyArray<Work> =>
  step(state, { _tag: "LeaseWork", ...RUNNER, runner: `runner of ${key}`, matches: false, key, max: 1 }, now)

const report = (state: State, key: string, work: Work, verdict: Verdict, now: number) =>
  step(state, { _tag: "ReportAdmission", key, lease: work.lease, verdict }, now)

const judge = (state: State, key: string, verdict: Verdict, now: number) => {
  const [work] = take(state, key, now)
  if (work === undefined) throw new Error(`${key} is given nothing`)
  return report(state, key, work, verdict, now)
}

/** Candidate 9 waits, and each of these keys has admitted another. */
const examinedBy = (...keys: ReadonlyArray<string>) => {
  const { state } = season(0)
  keys.forEach((key, i) => {
    step(state, submission(i + 1), OPENED)
    judge(state, key, ADMITTED, OPENED)
  })
  step(state, submission(9), OPENED + 1)
  return state
}

const candidate = (state: State) => {
  const found = state.versions_by_id.get(version(9))
  return found === undefined ? "rejected" : found.phase
}

/** As a node that takes the season over finds it. */
const again = (state: State): State => {
  committed(state)
  return restore(structuredClone(snapshot(state)))
}

describe("a refusal", () => {
  it("counts at once where no other key has judged models within a day", () => {
    const state = examinedBy("k1")
    judge(state, "k1", slow, OPENED + 2)
    assert.strictEqual(candidate(state), "rejected")
    const later = examinedBy("k1", "k2")
    judge(later, "k1", slow, OPENED + 86_400_002)
    assert.strictEqual(candidate(later), "rejected", "the other was last heard of more than a day ago")
  })

  it("waits for a key that examines another model now, though it has judged none yet", () => {
    const { state } = season(0)
    for (const n of [1, 9]) step(state, submission(n), OPENED)
    assert.lengthOf(take(state, "k2", OPENED), 1)
    judge(state, "k1", slow, OPENED + 1)
    assert.strictEqual(candidate(state), "review")
  })

  it("is confirmed by another key, also over a restart, and the reason is the first one's", () => {
    let state = examinedBy("k1", "k2")
    judge(state, "k1", slow, OPENED + 2)
    assert.strictEqual(candidate(state), "review")
    assert.deepStrictEqual(take(state, "k1", OPENED + 3), [], "the key leaves it to others")
    state = again(state)
    assert.deepStrictEqual(take(state, "k1", OPENED + 4), [], "nor after a restart")
    judge(state, "k2", unreadable, OPENED + 5)
    assert.strictEqual(candidate(state), "rejected")
    const rejected = state.writes.rejected.get(version(9))
    assert.strictEqual(rejected?.reject_reason, "too_slow")
    assert.deepStrictEqual(state.writes.audits, [])
  })

  it("is overruled by one other key where there is no third, and the log names the runner that refused", () => {
    const state = again(examinedBy("k1", "k2"))
    judge(state, "k1", slow, OPENED + 2)
    judge(state, "k2", ADMITTED, OPENED + 5)
    assert.strictEqual(candidate(state), "trial")
    assert.deepStrictEqual(
      state.writes.audits.map(({ action, detail, subject }) => [action, subject, (detail as { said: string }).said]),
      [["runner.doubt", "runner of k1", "too_slow: One inference took 2 s."]]
    )
  })

  it.each([
    { third: ADMITTED, ends: "trial", doubted: "runner of k1" },
    { third: slow, ends: "rejected", doubted: "runner of k2" }
  ] as const)("and an admission are decided by a third key: $ends", ({ doubted, ends, third }) => {
    const state = again(examinedBy("k1", "k2", "k3"))
    judge(state, "k1", slow, OPENED + 2)
    judge(state, "k2", ADMITTED, OPENED + 5)
    assert.strictEqual(candidate(state), "review")
    assert.deepStrictEqual([take(state, "k1", OPENED + 6), take(state, "k2", OPENED + 6)], [[], []])
    judge(state, "k3", third, OPENED + 7)
    assert.strictEqual(candidate(state), ends)
    assert.deepStrictEqual(
      state.writes.audits.map(({ subject }) => subject),
      [doubted]
    )
  })

  it("is given again by the same key where nobody else came for five minutes, and counts then", () => {
    const state = examinedBy("k1", "k2")
    judge(state, "k1", slow, OPENED + 2)
    committed(state)
    assert.deepStrictEqual(take(state, "k1", OPENED + 1 + OPINION_MS), [])
    step(state, { _tag: "Tick" }, OPENED + 2 + OPINION_MS)
    assert.isTrue(
      state.events.some(({ _tag }) => _tag === "WorkAppeared"),
      "a runner that waits is told"
    )
    judge(state, "k1", unreadable, OPENED + 2 + OPINION_MS)
    assert.strictEqual(candidate(state), "rejected")
    assert.strictEqual(state.writes.rejected.get(version(9))?.reject_reason, "weights_unreadable")
  })

  it("is left to others for as long after an absence of the season, in which they were away as well", () => {
    const state = examinedBy("k1", "k2")
    judge(state, "k1", slow, OPENED + 2)
    committed(state)
    const again = restore(structuredClone(snapshot(state)))
    const back = OPENED + 2 + OPINION_MS
    returned(again, { now: back, latest: back })
    assert.deepStrictEqual(take(again, "k1", back + OPINION_MS - 1), [])
    assert.lengthOf(take(again, "k1", back + OPINION_MS), 1)
  })

  it("does not become a majority by being given again", () => {
    const state = examinedBy("k1", "k2", "k3")
    judge(state, "k1", slow, OPENED + 2)
    judge(state, "k2", ADMITTED, OPENED + 3)
    judge(state, "k1", slow, OPENED + 2 + OPINION_MS)
    assert.strictEqual(candidate(state), "trial")
  })

  it("by the season's limits is confirmed as well: a runner may measure wrongly", () => {
    const state = examinedBy("k1", "k2")
    judge(state, "k1", { ...ADMITTED, memory: { flat: 1e9, cell: 1 } }, OPENED + 2)
    assert.strictEqual(candidate(state), "review")
    judge(state, "k2", ADMITTED, OPENED + 3)
    assert.strictEqual(candidate(state), "trial")
    assert.strictEqual(state.versions_by_id.get(version(9))!.memory_flat, 0)
  })

  it("for its size needs nobody to confirm it: the season knows the files' sizes itself", () => {
    const state = examinedBy("k1", "k2")
    step(state, submission(8, { files: { weights_bytes: 10_000_000, manifest_bytes: 100 } }), OPENED + 1)
    judge(state, "k1", ADMITTED, OPENED + 2)
    judge(state, "k1", ADMITTED, OPENED + 3)
    assert.strictEqual(candidate(state), "trial")
    assert.strictEqual(state.writes.rejected.get(version(8))?.reject_reason, "too_large")
  })

  it("is told once: its repeat changes nothing, and a late one counts like any other", () => {
    const state = examinedBy("k1", "k2")
    const [work] = take(state, "k1", OPENED + 2)
    step(state, { _tag: "Tick" }, OPENED + 40_000) // the lease runs out, and nobody else takes it
    assert.deepStrictEqual(report(state, "k1", work!, slow, OPENED + 40_001), { accepted: true })
    assert.deepStrictEqual(report(state, "k1", work!, slow, OPENED + 40_002), { accepted: true })
    assert.strictEqual(candidate(state), "review")
    judge(state, "k2", slow, OPENED + 40_003)
    assert.strictEqual(candidate(state), "rejected")
  })

  it("of a revoked key is forgotten, and nobody waits for such a key", () => {
    const state = examinedBy("k1", "k2", "k3")
    judge(state, "k1", slow, OPENED + 2)
    step(state, { _tag: "RevokeKey", key: "k1" }, OPENED + 3)
    judge(state, "k2", slow, OPENED + 4)
    assert.strictEqual(candidate(state), "review", "it is the first that counts")
    const alone = examinedBy("k1", "k2")
    step(alone, { _tag: "RevokeKey", key: "k2" }, OPENED + 3)
    judge(alone, "k1", slow, OPENED + 4)
    assert.strictEqual(candidate(alone), "rejected")
  })
})
