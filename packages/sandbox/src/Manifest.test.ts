import { assert, describe, it } from "@effect/vitest"
import { manifest } from "./admission/testing/testModels.ts"
import { MANIFEST_MAX_BYTES, readManifest } from "./Manifest.ts"

const errorsOf = (bytes: Uint8Array) => {
  const check = readManifest(bytes)
  assert.isFalse(check.ok)
  return check.ok ? [] : check.errors.map(({ path }) => path)
}

describe("readManifest", () => {
  it("reads a manifest with and without the optional keys", () => {
    assert.isTrue(readManifest(manifest()).ok)
    assert.isTrue(readManifest(manifest({ name: "Ada", description: "…" })).ok)
  })

  it("names the path of every fault", () => {
    assert.deepStrictEqual(errorsOf(manifest({ format: "agon-manifest/2", opset: "17", extra: 1 })), ["format", "opset", "extra"])
    assert.deepStrictEqual(errorsOf(manifest({ memory: { flat: -1, cells: 2 } })), ["memory.cell", "memory.flat", "memory.cells"])
    assert.deepStrictEqual(errorsOf(manifest({ game: "../etc", runtime: "torch", memory: null })), ["game", "runtime", "memory"])
    assert.deepStrictEqual(errorsOf(manifest({ opset: 1e9, name: "x".repeat(65) })), ["opset", "name"])
  })

  it("names ten faults at most, in the order of the file", () => {
    const keys = Array.from({ length: 5_000 }, (_, i) => `k${i}`)
    assert.deepStrictEqual(errorsOf(manifest(Object.fromEntries(keys.map((key) => [key, 1])))), keys.slice(0, 10))
    assert.lengthOf(errorsOf(manifest({ memory: Object.fromEntries(keys.map((key) => [key, 1])) })), 10)
  })

  it("does not mistake a prototype's property for a key", () => {
    assert.deepStrictEqual(errorsOf(new TextEncoder().encode('{"__proto__":{},"constructor":1}')).slice(-2), ["__proto__", "constructor"])
  })

  it("refuses anything but a JSON object in UTF-8 of at most 64 KiB", () => {
    for (const text of ["", "[]", "null", "7", "{", '"x"']) assert.deepStrictEqual(errorsOf(new TextEncoder().encode(text)), [""])
    assert.deepStrictEqual(errorsOf(Uint8Array.from([0xff, 0xfe])), [""])
    assert.deepStrictEqual(errorsOf(manifest({ description: " ".repeat(MANIFEST_MAX_BYTES) })), [""])
  })
})
