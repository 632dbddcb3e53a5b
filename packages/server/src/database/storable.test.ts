import { assert, it } from "@effect/vitest"
import { storableJson, storableText } from "./storable.ts"

it("text keeps what can be stored, and is cut between characters", () => {
  assert.strictEqual(storableText("a\0b\ud83dc"), "a\ufffdb\ufffdc")
  assert.strictEqual(storableText("Füße 😀"), "Füße 😀")
  assert.strictEqual(storableText("ab😀", 3), "ab\ufffd")
})

it("JSON is clean in texts and in names, however deep, and otherwise as it was", () => {
  const told = { "a\0": [{ "\udc00": "\ud800", n: 1, no: null, at: new Date(0) }], "\\u0000": "C:\\u0000" }
  assert.deepStrictEqual(JSON.parse(storableJson(told)), {
    "a\ufffd": [{ "\ufffd": "\ufffd", n: 1, no: null, at: "1970-01-01T00:00:00.000Z" }],
    "\\u0000": "C:\\u0000"
  })
  assert.strictEqual(storableJson({ b: "😀" }), '{"b":"😀"}')
})
