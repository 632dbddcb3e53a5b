import { assert, describe, it } from "@effect/vitest"
import { cpuOf } from "../../../../test/support/cpuOf.ts"
import { wordOf, wordsOf } from "./folding.ts"

/** Spellings of the same word that differ in case, width, marks and invisible characters. */
const spellings: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["blod", ["BLOD", "Blöd", "blo\u0308d", "b\u0300\u0301\u0302lod", "ＢＬＯＤ", "𝐁𝐥𝐨𝐝", "ⓑⓛⓞⓓ", "bl\u20ddod", "blº\u0308d"]],
  ["blod", ["b\u200blod", "bl\u00adod", "\ufeffblod", "b\u2060l\u200co\u200dd", "blod\ufe0f", "b\u{e0061}lod", "\u202eblod\u202c"]],
  ["strasse", ["Straße", "STRASSE", "STRAẞE", "ﬆraße", "ſtraſſe"]],
  ["οδοσ", ["ΟΔΟΣ", "οδος", "ὁδός", "ὈΔΌΣ"]],
  ["istanbul", ["İSTANBUL", "ıstanbul", "ISTANBUL"]],
  ["kelvin", ["\u212aelvin", "KELVIN"]],
  ["한글", ["\u1112\u1161\u11ab\u1100\u1173\u11af"]],
  ["12", ["①②", "１２", "¹²"]]
]

describe("a word", () => {
  it("is the same in every case, width and with whatever marks", () => {
    for (const [folded, written] of spellings) for (const one of [folded, ...written]) assert.strictEqual(wordOf(one), folded, one)
  })

  it("is not two, and not none", () => {
    for (const none of ["", " ", "two words", "e-mail", "a\tb", "a\u00a0b", "a_b", "!", "\u0308", "\u200b", "🐍", "a🐍b", " padded "]) {
      assert.isUndefined(wordOf(none), JSON.stringify(none))
    }
  })

  it("folds to what folds to itself, whatever character it is made of", () => {
    const wrong: Array<string> = []
    for (let code = 1; code <= 0x1ffff; code++) {
      const found = wordsOf(String.fromCodePoint(code))
      if (found.flatMap(wordsOf).join() !== found.join()) wrong.push(code.toString(16))
    }
    assert.deepStrictEqual(wrong, [])
  })
})

describe("the words of a text", () => {
  it("are whole, each once, with anything but letters and digits between them", () => {
    assert.deepStrictEqual(wordsOf("So blöd! (BLOD), blodwyn; oblod_blod1\u2014ΟΔΟΣ'Α"), [
      ...["so", "blod", "blodwyn", "oblod", "blod1", "οδοσ", "α"]
    ])
    assert.deepStrictEqual(wordsOf(""), [])
    assert.deepStrictEqual(wordsOf("\u0308 \ud83d -"), [])
  })

  it("are found in an instant, however many marks stand on one letter", () => {
    const marks = `a${"\u0301".repeat(10_000)}${"\u0316".repeat(10_000)}${"\u0301\u0316".repeat(10_000)}`
    const cpu_ms = cpuOf(() => assert.deepStrictEqual(wordsOf(marks.repeat(5)), ["aaaaa"]))
    assert.isBelow(cpu_ms, 500)
  })
})
