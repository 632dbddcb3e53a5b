/** The counts of versions that a submission asks for, found without looking at every version. */
import { assert, describe, it } from "@effect/vitest"
import { step } from "./Season.ts"
import { restore, type State, snapshot } from "./State.ts"
import { finish, lease, model, owner, season, submission, version } from "./testing/testSeason.ts"
import type { Version } from "./Version.ts"
import { committed } from "./Writes.ts"

const preflight = (n: number, weights_hash = `sha256:new${n}`) =>
  ({
    _tag: "Preflight",
    owner: owner(n),
    model: model(n),
    eligible: true,
    retired: false,
    hashes: { weights_hash, manifest_hash: "sha256:m" }
  }) as const

/** Counts how often versions are read while `ask` runs. */
const touched = (state: State, ask: () => void): number => {
  let reads = 0
  for (const [id, row] of state.versions_by_id) {
    const get = (from: Version, key: string | symbol) => {
      reads++
      return from[key as keyof Version]
    }
    const watched = new Proxy(row, { get })
    state.versions_by_id.set(id, watched)
    for (const { held } of state.models.values()) if (held.includes(row)) held[held.indexOf(row)] = watched
  }
  ask()
  return reads
}

describe("a preflight", () => {
  it("reads as little of a season of 400 entries as of one of 20", () => {
    const [few, many] = [20, 400].map((entries) => {
      const { now, state } = season(entries)
      return touched(state, () => void step(state, preflight(3), now + 1))
    })
    assert.strictEqual(many, few)
    assert.isBelow(many!, 10)
  })

  it("leaves nothing behind of somebody who has submitted nothing", () => {
    const { now, state } = season(4)
    const before = state.owners.size
    step(state, preflight(77), now + 1)
    assert.strictEqual(state.owners.size, before)
  })
})

describe("a superseded version", () => {
  const superseded = () => {
    const { now, state } = season(4, [2], { max_versions_per_model: 2, trial: { matches: 1 } })
    committed(state)
    const first = state.versions_by_id.get(version(1))!
    step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:second" }), now + 1)
    let at = now + 2
    for (; first.status !== "superseded"; at++) for (const work of lease(state, at)) finish(state, work, at)
    return { first, now: at, state }
  }

  it("leaves the state with the commit in which its last match ends", () => {
    const { first, state } = superseded()
    assert.strictEqual(first.status, "superseded")
    assert.isFalse(state.versions_by_id.has(first.id))
    for (const { ratings } of state.ladders) assert.isFalse(ratings.has(first.id))
    assert.strictEqual(state.versions_by_id.size, 4)
  })

  it("counts for its owner's caps still, and its weights stay its model's", () => {
    const { first, now, state } = superseded()
    for (const at of [state, restore(structuredClone(snapshot(state)))]) {
      const own = step(at, preflight(1), now + 1)
      assert.deepInclude(own.holdings, { models: { held: 1, cap: 5 }, versions: { held: 2, cap: 2 } })
      assert.deepStrictEqual(own.refused, [{ code: "version_cap_reached", held: 2, cap: 2 }])
      assert.deepStrictEqual(step(at, preflight(2, first.weights_hash), now + 1).refused, [{ code: "weights_already_entered" }])
    }
  })

  it("is found by whoever needs it until the commit stands", () => {
    const { first, state } = superseded()
    assert.isTrue(state.writes.left.has(first.id))
    committed(state)
    assert.strictEqual(state.writes.left.size, 0)
  })
})
