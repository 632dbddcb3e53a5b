/**
 * The behaviour of ONNX Runtime that we rely on: its errors, its memory growth, and that it releases an
 * instance. All of it may change with its version.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { doubling, failing, linear, misshapen, model, type Node, port, snakesInput } from "../admission/testing/testModels.ts"
import { Feed, instantiate, OrtFailure, Session, ShapeMismatch } from "./Runtime.ts"
import { boundedByEvents } from "./testing/testBudget.ts"
import { compiledRuntime } from "./testing/testRuntime.ts"

boundedByEvents(vi)

const CAP_BYTES = 128 * 1_048_576
const obs = { name: "obs", dims: [1, 12, 11, 11] }
const logits = { name: "logits", dims: [1, 4] }

const feedOf = async (weights: Uint8Array) =>
  new Feed(new Session(await instantiate(await compiledRuntime, CAP_BYTES), weights), [obs], [logits])

const errorOf = async (weights: Uint8Array): Promise<unknown> => {
  const feed = await feedOf(weights)
  try {
    feed.run()
    return null
  } catch (error) {
    return error
  }
}

const giving = (node: Node, dims: ReadonlyArray<number | string>, type: number = DataType.FLOAT) =>
  model({ node: [{ input: ["obs"], output: ["logits"], ...node }], input: [snakesInput], output: [port("logits", dims, type)] })

describe("a run", () => {
  it("writes its numbers into the views, run after run", async () => {
    const feed = await feedOf(linear())
    feed.inputs[0]!.fill(0.5)
    feed.run()
    const first = [...feed.outputs[0]!]
    assert.isTrue(first.some((value) => value !== 0))
    feed.inputs[0]!.fill(0)
    feed.run()
    assert.notDeepEqual([...feed.outputs[0]!], first)
    feed.inputs[0]!.fill(0.5)
    feed.run()
    assert.deepStrictEqual([...feed.outputs[0]!], first)
  })

  it("keeps its views valid when the memory grows", async () => {
    // Thirteen doublings of 5,808 bytes make 47 MB, where the memory begins with 16 MiB.
    const feed = await feedOf(doubling(13))
    feed.inputs[0]!.fill(0.25)
    feed.run()
    const first = [...feed.outputs[0]!]
    feed.run()
    assert.deepStrictEqual([...feed.outputs[0]!], first)
    assert.isTrue(first.every(Number.isFinite))
  })

  for (const [what, weights, message] of [
    ["another size than the graph tells", misshapen(), "output logits has another shape or type than the game's"],
    ["another rank", giving({ opType: "Relu" }, ["N", 12, "H", "W"]), "output logits has another shape or type than the game's"],
    [
      "another type",
      giving(
        { opType: "Cast", attribute: [{ name: "to", type: AttributeType.INT, i: BigInt(DataType.FLOAT16) }] },
        ["N", 12, "H", "W"],
        DataType.FLOAT16
      ),
      "an output has another shape or type than the game's"
    ],
    ["a size that only the run shows", giving({ opType: "Flatten" }, ["N", "A"]), "output logits has shape [1,1452], not [1,4]"]
  ] as const)
    it(`that gives ${what} is told apart from one that fails`, async () => {
      const error = await errorOf(weights)
      assert.instanceOf(error, ShapeMismatch)
      assert.strictEqual((error as Error).message, message)
    })

  it("that fails is a failure, and exhausted if memory was the reason", async () => {
    const [failed, exhausted] = [await errorOf(failing()), await errorOf(doubling(30))]
    assert.instanceOf(failed, OrtFailure)
    assert.isFalse((failed as OrtFailure).exhausted)
    assert.instanceOf(exhausted, OrtFailure)
    assert.isTrue((exhausted as OrtFailure).exhausted)
  })
})

describe("an unused instance", () => {
  it("is released with its memory", async () => {
    const program = `
      import { readFileSync } from "node:fs"
      import { wasmPath } from ${JSON.stringify(new URL("../places.ts", import.meta.url).href)}
      import { instantiate } from ${JSON.stringify(new URL("./Runtime.ts", import.meta.url).href)}
      const freed = []
      const registry = new FinalizationRegistry((at) => freed.push(at))
      const module = await WebAssembly.compile(readFileSync(wasmPath))
      const one = async (at) => registry.register(await instantiate(module, 1), at)
      for (let at = 0; at < 4; at++) {
        await one(at)
        await new Promise((resolve) => setImmediate(resolve))
        gc()
      }
      await new Promise((resolve) => setImmediate(resolve))
      process.stdout.write(String(freed.length))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program], { env: {} })
    // The last may still be held by the frame that made it.
    assert.isAtLeast(Number(stdout), 3)
  })
})
