import { assert, describe, it } from "@effect/vitest"
import { returnTo } from "./returnTo.ts"

const origin = "https://agon.example"

describe("where a sign-in may lead", () => {
  it("is a path of this origin, with its query and fragment", () => {
    for (const path of ["/", "/games", "/games?x=1&y=%2F", "/a#b", "/%2f/evil.example", "/a//b", "/@evil.example", "/\u00e4"]) {
      assert.strictEqual(returnTo(path, origin), new URL(path, origin).href.slice(origin.length), path)
    }
  })

  it("is the front page where anything else was asked, however it is written", () => {
    const tabs = ["/\t/evil.example", "/\n/evil.example", "/\r\n//evil.example", "\t//evil.example", "/\t\\evil.example"]
    const slashes = [
      "//evil.example",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\\/evil.example",
      "//evil.example@agon.example"
    ]
    const dots = [
      "/.//evil.example",
      "/..//evil.example",
      "/a/..//evil.example",
      "/a/../..//evil.example",
      "/%2e//evil.example",
      "/./\\evil.example"
    ]
    const schemes = [
      "https://evil.example",
      "https://evil.example/",
      "games",
      "javascript:alert(1)",
      "data:text/html,x",
      "evil.example",
      "",
      " /x",
      "?x",
      "#x",
      "https:/x"
    ]
    for (const hostile of [...tabs, ...slashes, ...dots, ...schemes])
      assert.strictEqual(returnTo(hostile, origin), "/", JSON.stringify(hostile))
    assert.strictEqual(returnTo(undefined, origin), "/")
  })

  it("carries no character into a header that has no place there", () => {
    for (const path of [
      "/\0",
      "/a\u0007b",
      "/a?b=\u0000",
      "/a#\u0000\u007f",
      "/a?x=\ud800",
      "/ü?ü#ü",
      '/a?"<>`',
      "/a\r\nSet-Cookie: x=y"
    ]) {
      assert.match(returnTo(path, origin), /^\/[\x21-\x7e]*$/, JSON.stringify(path))
    }
  })

  it("is no longer than its cookie may be", () => {
    assert.strictEqual(returnTo(`/${"x".repeat(1023)}`, origin).length, 1024)
    assert.strictEqual(returnTo(`/${"x".repeat(1024)}`, origin), "/")
    assert.strictEqual(returnTo(`/${"ü".repeat(400)}`, origin), "/", "it would be longer written out")
  })
})
