import { assert, describe, it } from "@effect/vitest"
import type { WeightClass } from "../Rules.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { addBoard, empty, finish, lease, OPENED, settings, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const BEFORE = OPENED - 1_000
const BASELINE = version(1)

/** A scheduled season with one baseline of 600 bytes, class nano, in play or not. */
const scheduled = (enabled: boolean): State => {
  const state = empty()
  addBoard(state, "b0", 2, BEFORE)
  step(state, submission(1, { owner: null }), BEFORE)
  for (const work of lease(state, BEFORE)) finish(state, work, BEFORE)
  step(state, { _tag: "SwitchBaseline", version: BASELINE, enabled }, BEFORE)
  committed(state)
  return state
}
const classesFrom = (max_bytes: number): ReadonlyArray<WeightClass> =>
  settings().weight_classes.map((each, i) => ({ ...each, max_bytes: max_bytes * 4 ** i }))
const edit = (
  state: State,
  patch: { readonly weight_classes: ReadonlyArray<WeightClass> } | { readonly rules: { infer_us_max: number } }
) => step(state, { _tag: "EditSettings", settings: patch, scheduledOnly: true }, BEFORE + 1)
const ladders = (state: State) => state.ladders.filter(({ ratings }) => ratings.get(BASELINE)?.active).map(({ ladder }) => ladder)
const read = (state: State) => restore(structuredClone(snapshot(state)))

describe("a baseline of a scheduled season whose classes are edited", () => {
  it("in play is on the ladder of the class that it fits now", () => {
    const state = scheduled(true)
    assert.deepStrictEqual(ladders(state), ["nano", "open"])
    assert.deepStrictEqual(edit(state, { weight_classes: classesFrom(200) }), { edited: true })
    for (const each of [state, read(state)]) {
      assert.deepStrictEqual([each.versions_by_id.get(BASELINE)!.class, ladders(each)], ["micro", ["micro", "open"]])
      assert.deepStrictEqual([each.active, each.ladders.map(({ active }) => active)], [1, [0, 1, 0, 0, 0, 1]])
    }
    assert.isTrue(state.writes.versions.has(BASELINE))
  })

  it("out of play joins the ladder of the class that it fits now", () => {
    const state = scheduled(false)
    edit(state, { weight_classes: classesFrom(200) })
    step(state, { _tag: "SwitchBaseline", version: BASELINE, enabled: true }, BEFORE + 2)
    assert.deepStrictEqual(ladders(state), ["micro", "open"])
  })

  it("in play is not excluded: the edit is refused, and changes nothing", () => {
    const state = scheduled(true)
    for (const [patch, path] of [
      [
        {
          weight_classes: classesFrom(1)
            .map((each) => ({ ...each, memory_flat_bytes: 0 }))
            .map((each, i) => ({ ...each, max_bytes: i + 1 }))
        },
        "weight_classes"
      ],
      [{ rules: { infer_us_max: 99 } }, "rules.infer_us_max"]
    ] as const) {
      const reply = edit(state, patch)
      assert.deepStrictEqual("errors" in reply && [reply.refused, reply.errors.map((fault) => fault.path)], ["rules_invalid", [path]])
    }
    assert.deepStrictEqual(ladders(state), ["nano", "open"])
    assert.isFalse(state.writes.settings)
  })

  it("out of play cannot be switched on where it is not allowed any more, and can once it is again", () => {
    const state = scheduled(false)
    const switchOn = () => step(state, { _tag: "SwitchBaseline", version: BASELINE, enabled: true }, BEFORE + 2)
    edit(state, { rules: { infer_us_max: 99 } })
    const detail = "One inference took 100 us; the season allows 99 us."
    assert.deepStrictEqual<unknown>(switchOn(), { refused: "over_limits", detail })
    edit(state, { rules: { infer_us_max: 100 } })
    assert.deepStrictEqual(switchOn(), { enabled: true })
  })
})
