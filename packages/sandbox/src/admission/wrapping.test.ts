/** A Pad that wraps and reads before its input has an undeclared memory between turns. */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { Heap } from "../worker/testing/testHeap.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { examineFiles } from "./static.ts"
import {
  board,
  boardSizes,
  floats,
  type Initializer,
  ints,
  linear,
  manifest,
  model,
  type Node,
  weightClasses
} from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const MODES = ["constant", "reflect", "edge", "wrap"] as const
type Mode = (typeof MODES)[number]

const spelt = (mode: Mode) => ({ name: "mode", type: AttributeType.STRING, s: new TextEncoder().encode(mode) })
const node = (opType: string, input: ReadonlyArray<string>, output: string, attribute: Node["attribute"] = []): Node =>
  ({ opType, input: [...input], output: [output], attribute }) as Node
const pad = (mode: Mode, from = "obs"): Node => node("Pad", [from, "pads"], "padded", [spelt(mode)])

const examined = (weights: Uint8Array) => {
  const checked = examineFiles({ game: "snakes", weights, manifest: manifest(), weight_classes: weightClasses, boards: [board] })
  if (checked.ok) return checked.plan
  return checked.verdict.verdict === "rejected" ? checked.verdict.reject_detail : checked.verdict.detail
}
const said = (weights: Uint8Array) => {
  const found = examined(weights)
  return typeof found === "string" ? found : "admissible"
}
const with_ = (nodes: ReadonlyArray<Node>, ...initializers: ReadonlyArray<Initializer>) =>
  said(linear(1, nodes, initializers, nodes.at(-1)!.output![0]))

const REFUSED = /^Operator Pad may wrap by 1 at most before an axis/

/** Looks at what the Pad read only where the observation holds a number that no position holds. */
const remembering = () =>
  linear(
    1,
    [
      { ...pad("wrap"), name: "far" },
      node("ReduceMax", ["padded"], "read", [{ name: "keepdims", type: AttributeType.INT, i: 0n }]),
      node("ReduceMax", ["obs"], "most", [{ name: "keepdims", type: AttributeType.INT, i: 0n }]),
      node("Greater", ["most", "never"], "now"),
      node("Where", ["now", "read", "nought"], "hidden"),
      node("Add", ["obs", "hidden"], "moved")
    ],
    [ints("pads", [0, 0, 900, 0, 0, 0, 0, 0]), floats("never", [], [1e7]), floats("nought", [], [0])],
    "moved"
  )

describe("a Pad that wraps", () => {
  it("reads old memory of the runtime beyond the length of its axis, and not within it", async () => {
    const heaps = await Promise.all([1, 2].map(async (seed) => Heap.make(await compiledRuntime, seed)))
    const outputs = (dims: ReadonlyArray<number>, pads: ReadonlyArray<number>) => {
      const initializer = [floats("obs", dims, new Float32Array(dims.reduce((a, b) => a * b, 1))), ints("pads", pads)]
      const weights = model({ name: "pad", node: [pad("wrap")], initializer, output: [{ name: "padded" }] })
      return heaps.map((heap) => heap.outputs(weights, ["padded"])?.join())
    }
    for (const pads of [
      [400, 0, 0, 0],
      [0, 400, 0, 0]
    ]) {
      const [first, second] = outputs([3, 5], pads)
      assert.notStrictEqual(first, second, `${pads}`)
    }
    for (const dims of [
      [1, 1],
      [1, 900],
      [900, 1],
      [3, 5]
    ]) {
      const [first, second] = outputs(dims, [1, 1, 400, 400])
      assert.isDefined(first)
      assert.strictEqual(first, second, `${dims}`)
    }
    // An axis without an element, where even one is too many, is refused by the kernel.
    for (const dims of [
      [0, 900],
      [900, 0]
    ])
      assert.deepStrictEqual(outputs(dims, [1, 1, 0, 0]), [undefined, undefined])
  })

  it("is refused where it may do so, also where the trial would not notice", async () => {
    const plan = { param_count: 0, manifest: JSON.parse(Buffer.from(manifest()).toString()), boards: [] as never }
    const verdict = await examineRuns(await compiledRuntime, remembering(), { ...plan, boards: [boardSizes] })
    assert.strictEqual(verdict.verdict, "admitted", JSON.stringify(verdict))
    assert.match(said(remembering()), /^Operator Pad "far" may wrap by 1 at most/)
  })

  it("is refused however it names its pads, if they are not known to be one at most", () => {
    const wide = ints("pads", [0, 0, 2, 0, 0, 0, 0, 0])
    const constant = node("Constant", [], "pads", [{ name: "value", type: AttributeType.TENSOR, t: wide }])
    assert.match(with_([pad("wrap")], wide), REFUSED)
    assert.match(with_([constant, pad("wrap")]), REFUSED)
    assert.match(with_([node("Identity", ["one"], "pads"), pad("wrap")], ints("one", [0, 0, 1, 1, 0, 0, 1, 1])), REFUSED)
    const early = node("Pad", ["obs"], "padded", [
      spelt("wrap"),
      { name: "pads", type: AttributeType.INTS, ints: [0n, 0n, 2n, 0n, 0n, 0n, 0n, 0n] }
    ])
    assert.match(with_([early]), REFUSED)
    assert.match(with_([node("Pad", ["obs"], "padded", [spelt("wrap")])]), REFUSED)
    const narrow = { ...wide, dataType: DataType.INT32, rawData: new Uint8Array(Int32Array.of(0, 0, 2, 0, 0, 0, 0, 0).buffer) }
    assert.match(with_([pad("wrap")], narrow), REFUSED)
  })

  it("is allowed by one before an axis and by any number after it; other modes read nothing before their input", () => {
    for (const pads of [
      [0, 0, 1, 1, 0, 0, 1, 1],
      [0, 0, -1, 0, 0, 0, 9, 5]
    ])
      assert.strictEqual(with_([pad("wrap")], ints("pads", pads)), "admissible", `${pads}`)
    for (const mode of MODES.filter((one) => one !== "wrap"))
      assert.strictEqual(with_([pad(mode)], ints("pads", [0, 0, 9, 9, 0, 0, 9, 9])), "admissible", mode)
  })
})
