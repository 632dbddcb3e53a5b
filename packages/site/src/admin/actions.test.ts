import { assert, it } from "@effect/vitest"
import { wordsOfAction } from "./actions.ts"

it("a switch is told in its direction, where the log has it", () => {
  const told = (detail: unknown) => ["baseline.switch", "board.switch"].map((action) => wordsOfAction(action, detail))
  assert.deepStrictEqual(told({ enabled: true }), ["brought a baseline into play", "brought a board into play"])
  assert.deepStrictEqual(told({ enabled: false }), ["took a baseline out of play", "took a board out of play"])
  for (const other of [null, {}, { enabled: "yes" }, [true], 5])
    assert.deepStrictEqual(told(other), ["brought a baseline into play, or took it out", "brought a board into play, or took it out"])
})

it("any other action has its words whatever its detail is, and one of another release has none", () => {
  assert.strictEqual(wordsOfAction("season.edit", { enabled: false }), "edited the season")
  assert.isUndefined(wordsOfAction("season.other", { enabled: true }))
  assert.isUndefined(wordsOfAction("__proto__", { enabled: true }))
})
