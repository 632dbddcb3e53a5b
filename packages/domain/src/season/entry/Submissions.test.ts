import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { model, OPENED, owner, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const WEIGHTS = "sha256:public"
const announced = { weights_hash: WEIGHTS, files: null } as const
const told = (state: State) => state.events.flatMap((event) => (event._tag === "VersionMoved" ? [[event.version, event.change]] : []))
const ask = (state: State, n: number, giving_way: ReadonlyArray<string>) => {
  const hashes = { weights_hash: WEIGHTS, manifest_hash: "sha256:other" }
  return step(
    state,
    { _tag: "Preflight", owner: owner(n), model: model(n), hashes, eligible: true, retired: false, giving_way },
    OPENED + 2
  )
}
const TAKEN = [{ code: "weights_already_entered" }] as const

describe("an announcement of weights whose files have not come", () => {
  const squatted = () => {
    const { state } = season(0)
    step(state, submission(1, announced), OPENED + 1)
    committed(state)
    return state
  }

  it("keeps from them whoever it does not give way to", () => {
    const state = squatted()
    for (const giving_way of [[], [owner(2)], [owner(3)]]) {
      assert.deepStrictEqual(ask(state, 2, giving_way).refused, TAKEN)
      assert.deepStrictEqual(step(state, submission(2, { ...announced, giving_way }), OPENED + 2), { refused: TAKEN })
    }
    assert.deepStrictEqual(told(state), [])
  })

  it("ends with the submission that it gives way to", () => {
    const state = squatted()
    const giving_way = [owner(1)]
    assert.deepStrictEqual(ask(state, 2, giving_way).refused, [])
    assert.isTrue(state.versions_by_id.has(version(1)))
    assert.deepInclude(step(state, submission(2, { ...announced, giving_way }), OPENED + 2), { submitted: version(2), fresh: true })
    assert.deepInclude(state.writes.rejected.get(version(1)), { status: "rejected", reject_reason: "upload_expired" })
    assert.deepStrictEqual(told(state), [
      [version(1), "rejected"],
      [version(2), "submitted"]
    ])
    assert.strictEqual(state.testing, 1)
    committed(state)
    const again = submission(1, { ...announced, version: version(1, 2) })
    assert.deepStrictEqual(step(state, again, OPENED + 3), { refused: TAKEN }, "nor does it come back")
  })

  it("stays once its files have come, and so does another one beside it", () => {
    const giving_way = [owner(1)]
    const state = squatted()
    step(state, { _tag: "ReceiveFiles", version: version(1), weights_bytes: 1, manifest_bytes: 1 }, OPENED + 2)
    assert.deepStrictEqual(step(state, submission(2, { ...announced, giving_way }), OPENED + 3), { refused: TAKEN })
    const other = squatted()
    step(other, submission(3, { weights_hash: "sha256:others", files: null }), OPENED + 2)
    step(other, submission(2, { ...announced, giving_way: [owner(1), owner(3)] }), OPENED + 3)
    assert.isTrue(other.versions_by_id.has(version(3)))
  })

  it("stands beside others that do not keep each other out, and ends when the files of one of them have come", () => {
    const state = squatted()
    const beside = [owner(1), owner(2)]
    for (const n of [2, 3]) assert.deepInclude(step(state, submission(n, { ...announced, beside }), OPENED + n), { fresh: true })
    step(state, submission(4, { weights_hash: "sha256:others", files: null }), OPENED + 4)
    step(state, submission(6, { ...announced, owner: null }), OPENED + 4)
    assert.strictEqual(state.testing, 5)
    committed(state)
    step(state, { _tag: "ReceiveFiles", version: version(2), weights_bytes: 1, manifest_bytes: 1 }, OPENED + 5)
    assert.deepStrictEqual(told(state), [
      [version(2), "review"],
      [version(1), "rejected"],
      [version(3), "rejected"]
    ])
    assert.deepInclude(state.writes.rejected.get(version(1)), { status: "rejected", reject_reason: "upload_expired" })
    assert.strictEqual(state.testing, 3, "a baseline stays")
    committed(state)
    assert.deepStrictEqual(step(state, submission(5, { ...announced, beside }), OPENED + 6), { refused: TAKEN })
  })

  it("stays where the other submission is refused for another reason, and so does that of a baseline", () => {
    const state = squatted()
    const giving_way = [owner(1)]
    const refused = step(state, submission(2, { ...announced, giving_way, retired: true }), OPENED + 2)
    assert.deepStrictEqual(refused, { refused: [{ code: "model_retired" }] })
    assert.isTrue(state.versions_by_id.has(version(1)))
    const { state: other } = season(0)
    step(other, submission(1, { ...announced, owner: null }), OPENED + 1)
    assert.deepStrictEqual(step(other, submission(2, { ...announced, giving_way }), OPENED + 2), { refused: TAKEN })
  })
})
