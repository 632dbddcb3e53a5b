import type { Season } from "@agon/api/season/Season.ts"
import { assert, describe, it } from "vitest"
import { rulesSection } from "./parts.ts"

const rules = {
  max_models_per_owner: 1,
  max_versions_per_model: 1,
  infer_us_max: 1,
  trial: { matches: 1 },
  match: { max_turns: 1, strike_limit: 1 },
  provisional_matches: 1,
  upload_window_s: 60,
  max_stored_bytes_per_owner: 1_048_576
}
const told = (cooldown_s: number) =>
  String(rulesSection({ entry: "open", rules: { ...rules, cooldown_s } } as unknown as Season)).replace(/<[^>]*>/g, "")

describe("the rules of a season in words", () => {
  it("are sentences also where a number is one", () => {
    assert.include(told(3_600), "A competitor waits 1 hour between two versions.")
    assert.include(told(90), "A competitor waits 90 seconds between two versions.")
    assert.include(told(0), "A version may follow the one before it at once.")
    assert.notMatch(told(3_600), /\b1 (hours|minutes|models|versions|matches|turns|strikes)\b|are 1\b/)
  })
})
