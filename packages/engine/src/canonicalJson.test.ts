import { assert, describe, it } from "vitest"
import { canonicalJson, canonicalSha256 } from "./canonicalJson.ts"
import { sha256Hex } from "./sha256.ts"

describe("canonicalJson", () => {
  it("sorts keys at every depth and leaves no white space", () => {
    assert.strictEqual(canonicalJson({ b: [1, { d: null, c: true }], a: "x y" }), '{"a":"x y","b":[1,{"c":true,"d":null}]}')
  })

  it("sorts by code unit, not by language", () => {
    assert.strictEqual(canonicalJson({ ä: 1, z: 2, Z: 3, _: 4 }), '{"Z":3,"_":4,"z":2,"ä":1}')
  })

  it("prints integers plain, however they were written", () => {
    assert.strictEqual(canonicalJson(JSON.parse("[5.0, -0, 1e3, 4294967295]")), "[5,0,1000,4294967295]")
  })

  it("gives the same text for objects that differ only in the order of keys", () => {
    assert.strictEqual(canonicalSha256({ rows: 7, cols: 9 }), canonicalSha256({ cols: 9, rows: 7 }))
    assert.notStrictEqual(canonicalSha256({ rows: 7, cols: 9 }), canonicalSha256({ rows: 9, cols: 7 }))
  })

  it("hashes the UTF-8 of the text", () => {
    assert.strictEqual(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert.strictEqual(canonicalSha256("é"), sha256Hex(new Uint8Array([0x22, 0xc3, 0xa9, 0x22])))
  })

  it("refuses values that JSON cannot express", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, 1n]) assert.throws(() => canonicalJson(value), TypeError)
  })
})
