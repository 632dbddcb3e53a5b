import { assert, describe, it } from "@effect/vitest"
import type { SettingsPatch } from "./Editing.ts"
import { isDirty } from "./isDirty.ts"
import type { Rules } from "./Rules.ts"
import { step } from "./Season.ts"
import { empty, OPENED } from "./testing/testSeason.ts"
import { committed } from "./Writes.ts"

let edits = 0
const edit = (settings: SettingsPatch, scheduledOnly = true) => {
  const audit = { id: `edit ${++edits}`, actor: "root", action: "season.edit", subject: "spring", detail: null } as const
  return { _tag: "EditSettings", settings, scheduledOnly, audit } as const
}
const before = OPENED - 1

describe("an edit of the settings", () => {
  it("is merged into what stands when its turn comes: two that name different things both hold", () => {
    const state = empty()
    step(state, edit({ rules: { cooldown_s: 7 } }), before)
    step(state, edit({ rules: { match: { max_turns: 50 } }, submissions_close_at: OPENED + 5 }), before)
    step(state, edit({ fleet: { matches: "own" } }, false), before)
    step(state, edit({ fleet: { admissions: "platform" }, fill: { max_per_hour: 3 } }, false), before)
    const { fill, fleet, rules, submissions_close_at, submissions_open_at } = state.settings
    assert.deepInclude(rules, { cooldown_s: 7, match: { max_turns: 50, strike_limit: 3 } })
    assert.deepStrictEqual([submissions_open_at, submissions_close_at], [OPENED, OPENED + 5])
    assert.deepStrictEqual(
      [fleet, fill],
      [
        { matches: "own", admissions: "platform" },
        { enabled: false, max_per_hour: 3 }
      ]
    )
    assert.lengthOf(state.writes.audits, 4)
  })

  it("is refused where the outcome cannot stand, with every fault, and changes nothing", () => {
    const state = empty()
    const { settings } = state
    const refused = (patch: SettingsPatch) => step(state, edit(patch), before)
    const window = { refused: "invalid_request", errors: [{ path: "submissions_close_at", message: "Submissions close after they open." }] }
    assert.deepStrictEqual<unknown>(refused({ submissions_close_at: OPENED }), window)
    assert.deepStrictEqual<unknown>(refused({ submissions_open_at: OPENED + 1e10 }), window)
    const faulty = refused({ rules: { cooldown_s: -1, trial: { matches: 21 }, luck: 1 } as Partial<Rules>, weight_classes: [] })
    assert.deepStrictEqual<unknown>("errors" in faulty && [faulty.refused, faulty.errors.map(({ path }) => path)], [
      "rules_invalid",
      ["rules.cooldown_s", "rules.trial.matches", "rules.luck", "weight_classes"]
    ])
    assert.strictEqual(state.settings, settings)
    assert.isFalse(isDirty(state))
  })

  it("of window, rules and classes is for a scheduled season; one that changes nothing leaves no trace", () => {
    const state = empty()
    assert.deepStrictEqual<unknown>(step(state, edit({ rules: { cooldown_s: 7 } }), OPENED), { refused: "season_not_scheduled" })
    committed(state)
    const { fill, rules } = state.settings
    assert.deepStrictEqual<unknown>(step(state, edit({ rules: { cooldown_s: rules.cooldown_s }, fill }, false), OPENED), { edited: true })
    assert.deepStrictEqual([isDirty(state), state.writes.audits, state.events], [false, [], []])
  })

  it("that names what stands in another order of the keys, as the database or a client writes them, changes nothing", () => {
    const state = empty()
    const reversed = <A extends object>(value: A): A => Object.fromEntries(Object.entries(value).reverse()) as A
    const { rules, weight_classes } = state.settings
    const again = { rules: reversed({ ...rules, match: reversed(rules.match) }), weight_classes: weight_classes.map(reversed) }
    assert.deepStrictEqual<unknown>(step(state, edit(again), before), { edited: true })
    assert.deepStrictEqual([isDirty(state), state.writes.audits, state.events], [false, [], []])
    step(state, edit({ weight_classes: weight_classes.map((one) => ({ ...one, memory_cell_bytes: one.memory_cell_bytes + 4 })) }), before)
    assert.lengthOf(state.writes.audits, 1)
  })
})

describe("a patch of a pending round", () => {
  it("that changes nothing leaves no trace", () => {
    const state = empty()
    const audit = { id: "patch", actor: "root", action: "round.patch", subject: "1", detail: null } as const
    const patch = (change: object) => step(state, { _tag: "PatchRound", n: 1, ...change, audit }, before)
    step(state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: OPENED + 60_000 }, before)
    committed(state)
    for (const change of [{}, { games: 3 }, { starts_at: OPENED + 60_000 }, { games: 3, starts_at: OPENED + 60_000 }]) {
      assert.deepStrictEqual<unknown>(patch(change), { n: 1 })
      assert.deepStrictEqual([isDirty(state), state.writes.audits, state.events], [false, [], []], JSON.stringify(change))
    }
    patch({ games: 4, starts_at: OPENED + 60_000 })
    assert.deepStrictEqual([state.rounds[0]!.games, state.writes.audits.map(({ id }) => id)], [4, ["patch"]])
  })
})
