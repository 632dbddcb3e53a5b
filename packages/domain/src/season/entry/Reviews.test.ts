import { assert, describe, it } from "@effect/vitest"
import { LEASE_AGAIN_MS } from "../Lease.ts"
import { step } from "../Season.ts"
import { restore, snapshot } from "../State.ts"
import { OPENED, RUNNER, season, submission } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

describe("a review", () => {
  it("is left to others for a while by a key that failed its review, so one broken machine does not end it at once", () => {
    let { state } = season(0)
    const take = (key: string, now: number) => step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, now)
    step(state, submission(1), OPENED)
    const failed = (key: string, now: number) => {
      const [work] = take(key, now)
      step(state, { _tag: "ReportAdmission", key, lease: work!.lease, verdict: { verdict: "failed", detail: "" } }, now)
    }
    failed("k1", OPENED)
    assert.deepStrictEqual(take("k1", OPENED + LEASE_AGAIN_MS - 1), [])
    committed(state)
    state = restore(snapshot(state))
    assert.deepStrictEqual(take("k1", OPENED + LEASE_AGAIN_MS - 1), [], "nor after a restart")
    failed("k2", OPENED + LEASE_AGAIN_MS - 1)
    committed(state)
    step(state, { _tag: "Tick" }, OPENED + LEASE_AGAIN_MS)
    assert.isTrue(
      state.events.some(({ _tag }) => _tag === "WorkAppeared"),
      "it is told when it may take it again"
    )
    assert.deepStrictEqual(take("k2", OPENED + LEASE_AGAIN_MS), [])
    assert.deepInclude(take("k1", OPENED + LEASE_AGAIN_MS)[0], { kind: "admission", attempt: 3 })
  })
})
