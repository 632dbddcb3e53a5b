import { assert, describe, it } from "@effect/vitest"
import { returnTo } from "./returnTo.ts"
import { usernameCandidates, usernameOf } from "./username.ts"
import { listedWord } from "./Words.ts"

describe("listed words", () => {
  it("are found whole, whatever their case, width or marks", () => {
    const list = ["Blöd", "two words", "ＷＩＤＥ"]
    for (const text of ["BLOD", "so blöd!", "blo\u0308d", "(blod)"]) assert.strictEqual(listedWord(text, list), "Blöd", text)
    assert.strictEqual(listedWord("Two... WORDS", list), "two words")
    assert.strictEqual(listedWord("how wide is it", list), "ＷＩＤＥ")
  })

  it("are not found inside other words", () => {
    assert.strictEqual(listedWord("blodwyn, oblod and blod1", ["blod", ""]), undefined)
  })
})

describe("a username", () => {
  it("is the login in lower case, in characters that stand in a path", () => {
    const cases = [
      ["Ada", "ada"],
      ["Ada Lovelace", "ada-lovelace"],
      ["ada@example.org", "ada-example.org"],
      ["Žofie", "zofie"],
      ["../..", "user"],
      ["日本", "user"]
    ] as const
    for (const [login, expected] of cases) assert.strictEqual(usernameOf(login), expected)
    assert.strictEqual(usernameOf("x".repeat(99)).length, 39)
  })

  it("that is taken gets a number", () => {
    assert.deepStrictEqual(usernameCandidates("ada", 1, 3), ["ada", "ada2", "ada3"])
  })
})

describe("where a sign-in returns to", () => {
  it("is a path on this origin, or the front page", () => {
    const cases = [
      ["/games?x=1#y", "/games?x=1#y"],
      [undefined, "/"],
      ["", "/"],
      ["games", "/"],
      ["//evil.example", "/"],
      ["/\\evil.example", "/"],
      ["/\n/evil.example", "/"],
      ["/.//evil.example", "/"],
      ["/a/../..//evil.example", "/"],
      ["https://evil.example", "/"]
    ] as const
    for (const [asked, expected] of cases) assert.strictEqual(returnTo(asked, "http://localhost:8080"), expected, String(asked))
  })
})
