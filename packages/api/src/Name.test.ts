import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { isBlank, name, named, nameFrom, prose, readable, reason, trimmed } from "./Name.ts"

const read = Schema.decodeUnknownExit(name(8))

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
  "marks without a letter": "\u0301\u093e\u20e3",
  "all of it": " \u200b\u202e\u00ad \u2800 "
}

const readLong = Schema.decodeUnknownExit(name(64))

/** Names as they are kept, by what they have. */
const FIT: Readonly<Record<string, string>> = {
  "a letter with a mark": "Zoë",
  Arabic: "علي",
  Hebrew: "שלום 7",
  Persian: "می\u200cخواهم",
  Tamil: "க்\u200cஷ",
  Bengali: "র\u200d্য",
  Mongolian: "ᠬᠠᠷ\u180eᠠ",
  Japanese: "葛\u{e0100}城 ｱﾀﾞ",
  "a mark that no letter is composed with": "x\u0301",
  "a family": "👩\u200d👩\u200d👧\u200d👦",
  "an emoji of a colour": "👩🏽\u200d🚀",
  "an emoji by its selector": "❤\ufe0f\u200d🔥",
  "a keycap": "1\ufe0f\u20e3",
  "a flag": "🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "a letter of a newer Unicode": "\u{16fff}",
  "signs and spaces": "a  b\u00a0(c) <d> &\u3000_"
}

/** Names that are refused: the place of the character, and the character. */
const UNFIT: ReadonlyArray<readonly [string, number, string]> = [
  ["a\tb", 2, "0009"],
  ["a\nb", 2, "000A"],
  ["🐍\u0085b", 2, "0085"],
  ["  ab\u2028c", 3, "2028"],
  ["ab\u2029c", 3, "2029"],
  ["a\u00adb", 2, "00AD"],
  ["a\u061cb", 2, "061C"],
  ["a\u200bb", 2, "200B"],
  ["a\u200eb", 2, "200E"],
  ["\u202ecod", 1, "202E"],
  ["cod\u2066", 4, "2066"],
  ["a\u2060b", 2, "2060"],
  ["a\ufeffb", 2, "FEFF"],
  ["a\ue000", 2, "E000"],
  ["a\ud83d", 2, "D83D"],
  ["a\uffff", 2, "FFFF"],
  ["a\u3164b", 2, "3164"],
  ["a\u034fb", 2, "034F"],
  ["e\u0308\u200cb", 2, "200C"],
  ["a\u200db", 2, "200D"],
  ["\u200dعلي", 1, "200D"],
  ["علي\u200d", 4, "200D"],
  ["க்\u200c\u200cஷ", 3, "200C"],
  ["a\ufe0f", 2, "FE0F"],
  ["❤\ufe0f\ufe0f", 3, "FE0F"],
  ["1\ufe0f", 2, "FE0F"],
  ["🏴\u{e0067}\u{e007f}", 2, "E0067"],
  ["a\u{e0100}", 2, "E0100"]
]

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

  it("keeps the invisible characters that its letters and emoji need", () => {
    for (const [what, text] of Object.entries(FIT)) {
      assert.deepStrictEqual(readLong(text), Exit.succeed(text), what)
      assert.strictEqual(nameFrom(text), text, what)
    }
  })

  it("is refused with the first character that it must not have, and its place", () => {
    for (const [text, place, code] of UNFIT) {
      const exit = readLong(text)
      assert.isTrue(Exit.isFailure(exit), JSON.stringify(text))
      assert.include(String(Exit.isFailure(exit) && exit.cause), `character ${place} is U+${code}, which is not allowed`)
    }
  })

  it("is one name however its letters are composed, and is as long as they are many", () => {
    for (const form of ["NFC", "NFD", "NFKC"]) assert.deepStrictEqual(readLong("Zoë 각".normalize(form)), Exit.succeed("Zoë 각"), form)
    assert.deepStrictEqual(read("\u1f82".repeat(8).normalize("NFD")), Exit.succeed("\u1f82".repeat(8)))
    assert.isTrue(Exit.isFailure(read("\u1f82".repeat(9).normalize("NFD"))))
    assert.strictEqual(named(" e\u0308\u200b"), "ë")
  })

  it("made of another text has what is fit of it", () => {
    assert.strictEqual(nameFrom("\u202eA\u200bd\ue000a\u00ad\u200d"), "Ada")
    assert.isUndefined(nameFrom("\u3164\u202e \u0301"))
  })

  it("is trimmed in time that grows with its length alone", () => {
    const text = `a${" ".repeat(1_000_000)}a`
    const started = process.cpuUsage()
    assert.strictEqual(trimmed(text), text)
    assert.isTrue(Exit.isFailure(read(`a${"\u0301\u0323".repeat(500_000)}`)))
    assert.isBelow(process.cpuUsage(started).user / 1_000, 500)
  })
})

describe("prose", () => {
  const texts = { prose: prose(100), reason: reason(100), readable: Schema.String.check(readable) }

  it("has lines, tabs, and every script and emoji", () => {
    for (const [what, schema] of Object.entries(texts)) {
      const read = Schema.decodeUnknownExit(schema as Schema.Codec<string>)
      for (const text of ["a\tb\r\nc\u2028d", "a\u200bb\u00ad", "e\u0308", "مرحبا\u200f!", ...Object.values(FIT)])
        assert.deepStrictEqual(read(text), Exit.succeed(text), what)
    }
  })

  it("has no other control, and nothing that turns text around", () => {
    for (const [what, schema] of Object.entries(texts)) {
      const read = Schema.decodeUnknownExit(schema as Schema.Codec<string>)
      for (const bad of ["\u0001", "\u000b", "\u001b", "\u007f", "\u0085", "\u202a", "\u202e", "\u2066", "\u2069"]) {
        const exit = read(`🐍${bad}a`)
        assert.include(
          String(Exit.isFailure(exit) && exit.cause),
          `character 2 is U+${bad.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
          what
        )
      }
    }
  })
})
