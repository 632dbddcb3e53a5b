import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { isBlank, name, trimmed } from "./Name.ts"

const read = Schema.decodeUnknownExit(name(8))
const nameOf = (text: string) => Exit.getSuccess(read(text))

/** By the characters that they consist of. */
const BLANK: Readonly<Record<string, string>> = {
  nothing: "",
  spaces: "   ",
  "tabs and lines": "\t\n\r\u000b\u000c",
  "every space of Unicode": "\u0020\u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000",
  "characters of no width": "\u200b\u200c\u200d\u2060\ufeff",
  "controls of direction": "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
  isolates: "\u2066\u2067\u2068\u2069",
  "soft hyphens": "\u00ad\u00ad",
  fillers: "\u115f\u1160\u3164\uffa0\u180e",
  "selectors and tags": "\ufe0f\u{e0061}\u{e0100}",
  "the empty cell of Braille": "\u2800",
  controls: "\u0001\u007f\u009f",
  "all of it": " \u200b\u202e\u00ad \u2800 "
}

describe("a name", () => {
  it("is not blank, whatever it is blank with", () => {
    for (const [what, text] of Object.entries(BLANK)) {
      assert.isTrue(isBlank(text), what)
      assert.isTrue(Exit.isFailure(read(text)), what)
    }
  })

  it("is kept as it was trimmed, and is as long as that", () => {
    for (const around of [" ", "\t\n", "\u00a0\u3000", "\u200b\ufeff\u2060", "\u0085"]) {
      assert.strictEqual(trimmed(`${around}a b${around}`), "a b")
      assert.deepStrictEqual(read(`${around}12345678${around}`), Exit.succeed("12345678"))
      assert.isTrue(Exit.isFailure(read(`${around}123456789${around}`)))
    }
    assert.isTrue(Exit.isSuccess(read("🐍".repeat(8))))
  })

  it("keeps what belongs to its letters and emoji, and which way it is written", () => {
    const kept = ["❤\ufe0f", "👩\u200d🚀", "\u{1f3f4}\u{e0067}\u{e007f}", "می\u200cخواهم", "a\u202eb\u202c", "e\u0301", ".", "⠀a"]
    for (const text of kept) assert.strictEqual(nameOf(text)._tag === "Some" ? trimmed(text) : undefined, text)
  })

  it("is trimmed in time that grows with its length alone", () => {
    const text = `a${" ".repeat(1_000_000)}a`
    const started = process.cpuUsage()
    assert.strictEqual(trimmed(text), text)
    assert.isBelow(process.cpuUsage(started).user / 1_000, 500)
  })
})
