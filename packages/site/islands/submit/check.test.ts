import { zoo } from "@agon/zoo/zoo.ts"
import { assert, describe, it } from "vitest"
import { faultIn } from "./check.ts"

/** The version of the format, no name of a producer, and a graph of two bytes. */
const BYTES = [8, 8, 18, 0, 58, 2, 10, 0]
const named = (name: string, ...parts: ReadonlyArray<BlobPart>) => new File([...parts], name)
const model = named("policy.onnx", Uint8Array.from(BYTES))
const manifest = new File(['{"format": "agon-manifest/1"}'], "policy.json")

describe("two files that are to become a version", () => {
  it("are sent where nothing is plainly wrong with them", async () => {
    assert.isUndefined(await faultIn({ weights: model, manifest }, 1_000))
    assert.isUndefined(await faultIn({ weights: model, manifest }, undefined), "the season does not say its classes")
  })

  it("are not sent where one is empty, too large, or the other one", async () => {
    const faults = [
      [{ weights: new File([], "none.onnx"), manifest }, /^none\.onnx is empty/],
      [{ weights: new File([new Uint8Array(2_000)], "big.onnx"), manifest }, /at most 1,000|may have 1,000 bytes .* these have 2,0\d\d/],
      [{ weights: manifest, manifest: model }, /^policy\.onnx is no JSON/],
      [{ weights: manifest, manifest }, /^policy\.json is JSON and no ONNX/],
      [{ weights: model, manifest: new File(["{nope"], "bad.json") }, /^bad\.json is no JSON/]
    ] as const
    for (const [files, told] of faults) assert.match((await faultIn(files, 1_000)) ?? "nothing", told)
    const long = new File([" ".repeat(70_000)], "long.json")
    assert.match(
      (await faultIn({ weights: model, manifest: long }, undefined)) ?? "nothing",
      /65,536 bytes at most, and long\.json has 70,000/
    )
  })

  it("are not sent where the weights are no ONNX model: a text, another format, or half a file", async () => {
    const zip = Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0)
    const faults = [
      [named("notes.onnx", "Dear reader, these are my weights.\n".repeat(4_000)), /^notes\.onnx is no ONNX model/],
      [named("policy.pt", zip), /^policy\.pt is no ONNX model.* exported first/],
      [named("policy.safetensors", Uint8Array.of(90, 0, 0, 0, 0, 0, 0, 0), '{"w":{}}'), /is no ONNX model/],
      [named("noise.onnx", new Uint8Array(70_000).fill(255)), /is no ONNX model/],
      [named("bare.onnx", Uint8Array.of(8, 8, 18, 0)), /^bare\.onnx is no ONNX model/],
      [named("half.onnx", Uint8Array.from(BYTES.slice(0, -1))), /^half\.onnx is cut off/]
    ] as const
    for (const [weights, told] of faults) assert.match((await faultIn({ weights, manifest }, undefined)) ?? "nothing", told)
  })

  it("are not sent where a file was written anew since it was chosen, which browsers refuse to read", async () => {
    const changed = (file: File) => {
      const refuses = () => Promise.reject(new DOMException("It has changed.", "NotReadableError"))
      return Object.assign(file, { text: refuses, slice: () => Object.assign(new Blob(), { arrayBuffer: refuses }) })
    }
    const told = /^A file cannot be read: .* Choose both files again\.$/
    const weights = changed(named("new.onnx", new Uint8Array(70_000)))
    assert.match((await faultIn({ weights, manifest }, undefined)) ?? "nothing", told)
    assert.match((await faultIn({ weights: model, manifest: changed(new File(["{}"], "new.json")) }, undefined)) ?? "nothing", told)
  })

  it("are sent with every model of the zoo, fields of a later format, and many notes", async () => {
    for (const { build, name } of zoo)
      assert.isUndefined(await faultIn({ weights: named(name, build().weights), manifest }, undefined), name)
    const later = [
      [0xf8, 6, 1],
      [0xfa, 6, 1, 0],
      [0xfd, 6, 0, 0, 0, 0],
      [0xf9, 6, 0, 0, 0, 0, 0, 0, 0, 0]
    ].flat()
    assert.isUndefined(await faultIn({ weights: named("later.onnx", Uint8Array.from([...BYTES, ...later])), manifest }, undefined))
    const notes = Array.from({ length: 3_000 }, () => [114, 0]).flat()
    assert.isUndefined(await faultIn({ weights: named("notes.onnx", Uint8Array.from([...notes, ...BYTES])), manifest }, undefined))
  })
})
