import { assert, it } from "@effect/vitest"
import { editOf, merged, overtaken, type Texts, typedBy, WAS, wasText } from "./editConflict.ts"

const BEGAN: Texts = { a: "1", b: "2", c: "" }

const edited = (change: Texts, now: Texts, was = wasText(BEGAN)) =>
  editOf(typedBy({ ...BEGAN, ...change, [WAS]: was }), { ...BEGAN, ...now })

const names = (edit: Parameters<typeof overtaken>[0]) => [...overtaken(edit).keys()]

it("keeps both of two edits that touch different fields", () => {
  const edit = edited({ a: "5" }, { b: "7" })
  assert.deepStrictEqual(merged(edit), { a: "5", b: "7", c: "" })
  assert.deepStrictEqual(names(edit), [])
})

it("tells of a field that both have given another text, with all three texts, and keeps what was typed", () => {
  const edit = edited({ a: "5", c: "x" }, { a: "6" })
  assert.deepStrictEqual([...overtaken(edit)], [["a", "It is 6 now, and was 1 when the form was shown; you typed 5."]])
  assert.deepStrictEqual(merged(edit), { a: "5", b: "2", c: "x" })
})

it("does not tell of a field that both have given the same text", () => {
  assert.deepStrictEqual(names(edited({ a: "6" }, { a: "6" })), [])
})

it("takes spaces around a text for no change", () => {
  assert.deepStrictEqual(merged(edited({ a: " 1 " }, { a: "6" }))["a"], "6")
})

it("tells a long text from others without carrying it, whatever its line ends, and says how the other begins", () => {
  const long = "A long text.\n".repeat(1_000)
  const was = wasText({ ...BEGAN, c: long.replaceAll("\n", "\r\n") })
  assert.isBelow(was.length, 200)
  assert.deepStrictEqual(merged(edited({ c: long, a: "5" }, { c: "Theirs." }, was)), { a: "5", b: "2", c: "Theirs." })
  const edit = edited({ c: `${long}More.` }, { c: "Theirs." }, was)
  assert.deepStrictEqual([...overtaken(edit)], [["c", "It is another text now than when the form was shown: Theirs."]])
  assert.deepStrictEqual(names(edited({ c: `${long}More.` }, { c: long }, was)), [])
})

it("counts every other text as overtaken where the form does not say what it was made of", () => {
  for (const was of ["", "no JSON", "null", "[]", '{"a":1}', '{"__proto__":{"a":"1"}}']) {
    const edit = edited({ a: "5" }, { b: "7" }, was)
    assert.deepStrictEqual(names(edit), ["a", "b"], was)
    assert.deepStrictEqual(merged(edit), { a: "5", b: "2", c: "" }, was)
  }
})

it("repeats no more than the beginning of a long text", () => {
  const sentence = overtaken(edited({ a: "😀".repeat(100_000) }, { a: "6" })).get("a")!
  assert.isBelow(sentence.length, 200)
  assert.isTrue(sentence.isWellFormed())
})
