import { assert, describe, it } from "vitest"
import { markdown } from "./markdown.ts"
import { plainOf } from "./plainLine.ts"

describe("the words of a text for previews of links", () => {
  it("have no space that the text does not have, whatever of it stands out", () => {
    const text = "The season opens **now**, and *soon* `agon examine`.\n\n~~Nothing~~ [All](https://example.org)."
    assert.strictEqual(plainOf(markdown(text, 1)), "The season opens now, and soon agon examine. Nothing All.")
  })
})
