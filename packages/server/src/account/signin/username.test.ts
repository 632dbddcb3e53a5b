import { assert, describe, it } from "@effect/vitest"
import { usernameOf } from "./username.ts"

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
})
