import { assert, it } from "@effect/vitest"
import { assertObjectKey, isObjectKey } from "./objectKey.ts"

it("content addresses and ids are keys", () => {
  for (const key of [`weights/sha256/${"a".repeat(64)}`, "replays/0198f2c0-7a3e-7b51-8000-1234567890ab", "incoming/v1/manifest.json"]) {
    assert.isTrue(isObjectKey(key), key)
  }
})

it("nothing that could leave the directory, be hidden or need encoding is a key", () => {
  const bad = [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    "..",
    "../a",
    "a/../b",
    "a/..",
    ".a",
    "a/.b",
    "a\\b",
    "a%2e",
    "a b",
    "a\nb",
    "a\0",
    "A",
    "é",
    "a?b",
    "a#b"
  ]
  for (const key of [...bad, "a".repeat(241)]) {
    assert.isFalse(isObjectKey(key), JSON.stringify(key))
    assert.throws(() => assertObjectKey(key), /not an object key/)
  }
})
