import { assert, describe, it } from "@effect/vitest"
import { isDirty } from "./isDirty.ts"
import { deadline, step } from "./Season.ts"
import { restore, type State, snapshot } from "./State.ts"
import { addBoard, empty, OPENED } from "./testing/testSeason.ts"
import { committed } from "./Writes.ts"

const BEFORE = OPENED - 1_000
const LATER = OPENED + 100_000

const plan = (state: State, kind: "round" | "finals", starts_at: number, now = BEFORE) =>
  step(state, { _tag: "PlanRound", kind, games: 3, starts_at }, now)

const open = (state: State, submissions_open_at: number) =>
  step(state, { _tag: "EditSettings", scheduledOnly: true, settings: { submissions_open_at } }, BEFORE)

const scheduled = (): State => {
  const state = empty()
  addBoard(state, "b0", 2, BEFORE)
  committed(state)
  return state
}

describe("a season that is not live yet", () => {
  it("has no round planned before its opening, and no finals at it", () => {
    const state = scheduled()
    const refused = (detail: string) => ({ refused: "invalid_request", detail })
    assert.deepStrictEqual<unknown>(plan(state, "round", OPENED - 1), refused("A round starts when submissions open, or later."))
    assert.deepStrictEqual<unknown>(plan(state, "finals", OPENED), refused("The finals start after submissions open."))
    assert.isFalse(isDirty(state))
    assert.deepStrictEqual<unknown>([plan(state, "round", OPENED), plan(state, "finals", OPENED + 1)], [{ n: 1 }, { n: 2 }])
    const moved = step(state, { _tag: "PatchRound", n: 1, starts_at: OPENED - 1 }, BEFORE)
    assert.deepStrictEqual<unknown>(moved, refused("A round starts when submissions open, or later."))
    assert.strictEqual(state.rounds[0]!.starts_at, OPENED)
  })

  it("is not postponed past a round that is planned, and says which", () => {
    const state = scheduled()
    plan(state, "round", OPENED + 10)
    plan(state, "finals", LATER)
    assert.deepStrictEqual<unknown>(open(state, LATER), {
      refused: "invalid_request",
      errors: [
        { path: "submissions_open_at", message: "Round 1 would start before submissions open; move or withdraw it first." },
        { path: "submissions_open_at", message: "The finals would start before submissions open; move or withdraw them first." }
      ]
    })
    assert.strictEqual(state.settings.submissions_open_at, OPENED)
    step(state, { _tag: "PatchRound", n: 1, withdrawn: true }, BEFORE)
    assert.deepStrictEqual<unknown>(open(state, LATER - 1), { edited: true })
  })

  it("starts none that was planned before its opening all the same: a round waits for it, the finals for an administrator", () => {
    for (const kind of ["round", "finals"] as const) {
      const state = scheduled()
      plan(state, kind, OPENED + 10)
      const rows = structuredClone(snapshot(state))
      const stale = restore({ ...rows, settings: { ...rows.settings, submissions_open_at: LATER } }) // as an earlier release allowed it
      step(stale, { _tag: "Tick" }, LATER - 1)
      assert.deepStrictEqual([stale.phase, stale.round, deadline(stale)], ["open", 0, LATER])
      step(stale, { _tag: "Tick" }, LATER + 5)
      assert.deepStrictEqual([stale.phase, stale.round], ["open", kind === "round" ? 1 : 0])
      if (kind === "round") assert.strictEqual(stale.rounds[0]!.started_at, LATER)
      else assert.deepStrictEqual<unknown>(step(stale, { _tag: "PatchRound", n: 1, starts_at: LATER + 9 }, LATER + 6), { n: 1 })
    }
  })
})
