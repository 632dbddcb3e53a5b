import { assert, describe, it } from "@effect/vitest"
import { returnTo } from "./signin/returnTo.ts"
import { usernameCandidates, usernameOf } from "./signin/username.ts"

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
