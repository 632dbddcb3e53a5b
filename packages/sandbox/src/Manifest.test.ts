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

  it("says what was found and what is expected", () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const one = (value: unknown, key: string) => manifest({ [key]: value })
    const integer = "must be an integer from 7 to 24"
    for (const [file, sentence] of [
      [one("17", "opset"), `opset ${integer}, is "17"`],
      [one(17.5, "opset"), `opset ${integer}, is 17.5`],
      [one(undefined, "opset"), `opset is missing, ${integer}`],
      [one("agon-manifest/2", "format"), 'format must be "agon-manifest/1", is "agon-manifest/2"'],
      [one(null, "runtime"), 'runtime must be "onnx", is null'],
      [one("Snakes", "game"), 'game must be the slug of a game, such as snakes, is "Snakes"'],
      [one([1], "memory"), "memory must be an object, is a list"],
      [one("é".repeat(65), "name"), "name must be a string of at most 64 characters, is a string of 65 characters"],
      [one({}, "name"), "name must be a string of at most 64 characters, is an object"],
      [bytes("[]"), " must be an object, is a list"],
      [bytes(""), " is empty, must be JSON in UTF-8"],
      [bytes('{"opset":\n17,, "game": 1}'), " must be JSON in UTF-8, is none from line 2, column 4"],
      [bytes('{"opset": 17'), /^ must be JSON in UTF-8, (ends before its JSON does|is none from line 1, column 13)$/],
      [bytes("format: agon-manifest/1"), " must be JSON in UTF-8, is not JSON"],
      [Uint8Array.from([0x7b, 0xe9, 0x7d]), " must be JSON in UTF-8, holds bytes that are not UTF-8"]
    ] as const) {
      const check = readManifest(file)
      const said = check.ok ? "" : check.errors.map(({ path, message }) => `${path} ${message}`).join("; ")
      if (typeof sentence === "string") assert.strictEqual(said, sentence)
      else assert.match(said, sentence)
    }
  })

  it("takes a value as deep as the file for what it is", () => {
    const deep = `{"opset": ${"[".repeat(30_000)}${"]".repeat(30_000)}}`
    assert.include(errorsOf(new TextEncoder().encode(deep)), "opset")
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
