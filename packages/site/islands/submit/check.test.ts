import { assert, describe, it } from "vitest"
import { faultIn } from "./check.ts"

const model = new File([Uint8Array.of(8, 8, 18, 0)], "policy.onnx")
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
})
