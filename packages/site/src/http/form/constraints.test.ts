import { CreateSeason } from "@agon/api/season/creation.ts"
import { SendNotice } from "@agon/api/season/notices.ts"
import { PlanRound } from "@agon/api/season/rounds.ts"
import { assert, describe, it } from "@effect/vitest"
import { constraintsOf } from "./constraints.ts"

/** Whether a browser would take the text. */
const takes = (attributes: string, text: string) => {
  const [, pattern = ""] = /pattern="([^"]*)"/.exec(attributes)!
  return new RegExp(`^(?:${pattern.replaceAll("&quot;", '"').replaceAll("&amp;", "&")})$`, "v").test(text)
}

describe("constraints of a field", () => {
  const season = constraintsOf(CreateSeason)

  it("are those of the API's schema: a browser refuses the same values", () => {
    const [name, slug] = [season("name"), season("slug")].map(String) as [string, string]
    assert.isTrue(takes(name, "💩".repeat(100)))
    for (const ill of ["", "  ", "a".repeat(101), "💩".repeat(101)]) assert.isFalse(takes(name, ill), ill)
    assert.match(name, / required$/)
    assert.notMatch(slug, /required/)
    for (const good of ["a", "a-b", "a".repeat(64)]) assert.isTrue(takes(slug, good), good)
    for (const ill of ["A", "-a", "a--b", "a".repeat(65)]) assert.isFalse(takes(slug, ill), ill)
    assert.strictEqual(String(constraintsOf(PlanRound)("games")), 'type="number" step="1" min="1" max="10000" required')
  })

  it("are found within lists and objects", () => {
    assert.strictEqual(String(season("weight_classes.3.max_bytes")), 'type="number" step="1" min="0" required')
    assert.strictEqual(String(season("submissions_open_at")), 'type="datetime-local" required')
  })

  it("leave to the API a pattern that browsers cannot read", () => {
    assert.strictEqual(String(constraintsOf(SendNotice)("link")), "")
  })
})
