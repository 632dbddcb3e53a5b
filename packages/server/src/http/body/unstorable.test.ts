import { threadCpuUsage } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { unstorable } from "./unstorable.ts"

describe("text that cannot be stored", () => {
  it("is found wherever it stands in a body, in keys as well", () => {
    assert.deepStrictEqual(unstorable('{"a":[{"b":"x\\u0000"}],"c":"\\uD83D","d":"\\uDE00\\uD83D"}'), [
      { path: "a.0.b", message: "holds a NUL character" },
      { path: "c", message: "holds half of a surrogate pair" },
      { path: "d", message: "holds half of a surrogate pair" }
    ])
    assert.deepStrictEqual(unstorable('{"a":{"\\u0000":1}}'), [{ path: "a", message: "has a key that holds a NUL character" }])
  })

  it("is not what only looks like it: whole pairs, escaped backslashes, bodies that are no JSON", () => {
    for (const body of ['{"a":"\\uD83D\\uDE00"}', '{"a":"\\\\u0000"}', '{"a":"\\u0000"', '"🐍"', "", "[]"]) {
      assert.deepStrictEqual(unstorable(body), [], body)
    }
  })

  it("is listed no longer than helps, be it in values or in keys", () => {
    assert.lengthOf(unstorable(JSON.stringify(Array.from({ length: 1_000 }, () => "\0"))), 10)
    assert.lengthOf(unstorable(JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`\0${i}`, "\0"])))), 10)
  })

  it("is looked for to a depth that nothing of ours has, and what is deeper is refused", () => {
    const nested = (depth: number, inner = "1") => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`
    assert.deepStrictEqual(unstorable(nested(100)), [])
    assert.deepStrictEqual(unstorable(nested(90, '"\\u0000"')), [{ path: Array(90).fill("0").join("."), message: "holds a NUL character" }])
    for (const depth of [101, 500_000]) {
      assert.deepStrictEqual(unstorable(nested(depth)), [{ path: "", message: "is nested deeper than 100 levels" }])
    }
    assert.deepStrictEqual(unstorable(`["${"[{".repeat(1_000)}"]`), [], "brackets in text are no nesting")
    assert.deepStrictEqual(unstorable(`["\\"${"[{".repeat(1_000)}"]`), [], "nor behind an escaped quote")
    assert.deepStrictEqual(unstorable(JSON.stringify(Array.from({ length: 1_000 }, () => []))), [], "nor are many beside one another")
  })

  it("takes as many values as a report of a full runner has, and no more", () => {
    const values = (n: number) => `[${Array(n).fill(0).join(",")}]`
    assert.deepStrictEqual(unstorable(values(19_998)), [])
    for (const body of [
      values(20_001),
      `[${Array(10_001).fill("[]").join(",")}]`,
      JSON.stringify({ text: values(9), more: Array(20_001) })
    ]) {
      assert.deepStrictEqual(unstorable(body), [{ path: "", message: "holds more than 20000 values" }])
    }
    assert.deepStrictEqual(unstorable(JSON.stringify([values(30_000)])), [], "commas in text are no values")
  })

  it("is told of bodies that once held the service up for seconds within the time of a glance", () => {
    const megabyte = (piece: string) => piece.repeat(Math.ceil(1_048_576 / piece.length))
    const worst = [
      `${"[".repeat(97)}${megabyte("[],")}`,
      `${"[".repeat(97)}"\\u0000",${megabyte("[],")}0${"]".repeat(97)}`,
      `["\\u0000",${"[".repeat(97)}${Array(9_000).fill("[]").join(",")}${"]".repeat(97)}]`,
      `["\\uD83D",${JSON.stringify(Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`${i}`.padStart(60, "k"), ""])))}]`,
      `"${megabyte("\\u0000")}"`
    ]
    for (const body of worst) {
      unstorable(body) // once, so that the measured code is compiled
      const before = threadCpuUsage()
      unstorable(body)
      const { system, user } = threadCpuUsage(before)
      assert.isBelow((system + user) / 1000, 50, `${body.slice(90, 110)} took that many ms of CPU`)
    }
  })
})
