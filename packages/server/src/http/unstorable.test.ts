import { assert, describe, it } from "@effect/vitest"
import { unstorable } from "./unstorable.ts"

describe("text that cannot be stored", () => {
  it("is found wherever it stands in a body, in keys as well", () => {
    assert.deepStrictEqual(unstorable('{"a":[{"b":"x\\u0000"}],"c":"\\uD83D","d":"\\uDE00\\uD83D"}'), [
      { path: "a.0.b", message: "holds a NUL character" },
      { path: "c", message: "holds half of a surrogate pair" },
      { path: "d", message: "holds half of a surrogate pair" }
    ])
    assert.deepStrictEqual(unstorable('{"a":{"\\u0000":1}}'), [{ path: "a", message: "holds a NUL character" }])
  })

  it("is not what only looks like it: whole pairs, escaped backslashes, bodies that are no JSON", () => {
    for (const body of ['{"a":"\\uD83D\\uDE00"}', '{"a":"\\\\u0000"}', '{"a":"\\u0000"', '"🐍"', "", "[]"]) {
      assert.deepStrictEqual(unstorable(body), [], body)
    }
  })

  it("is listed no longer than helps", () => {
    assert.lengthOf(unstorable(JSON.stringify(Array.from({ length: 1_000 }, () => "\0"))), 10)
  })

  it("is looked for to a depth that nothing of ours has, and what is deeper is refused", () => {
    const nested = (depth: number, inner = "1") => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`
    assert.deepStrictEqual(unstorable(nested(100)), [])
    assert.deepStrictEqual(unstorable(nested(90, '"\\u0000"')), [{ path: Array(90).fill("0").join("."), message: "holds a NUL character" }])
    for (const depth of [101, 500_000]) {
      assert.deepStrictEqual(unstorable(nested(depth)), [{ path: "0.0.0", message: "is nested deeper than 100 levels" }])
    }
    assert.deepStrictEqual(unstorable(`["${"[{".repeat(1_000)}"]`), [], "brackets in text are no nesting")
    assert.deepStrictEqual(unstorable(JSON.stringify(Array.from({ length: 1_000 }, () => []))), [], "nor are many beside one another")
  })
})
