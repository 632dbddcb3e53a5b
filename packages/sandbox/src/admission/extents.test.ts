/** Tensors without elements, which some kernels turn into an undeclared memory between turns. */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { examineFiles } from "./static.ts"
import { leakingModels } from "./testing/hostileExtents.ts"
import {
  board,
  floats,
  type Initializer,
  ints,
  linear,
  manifest,
  model,
  type Node,
  port,
  snakesInput,
  snakesOutput,
  trialPlan,
  weightClasses
} from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const check = (weights: Uint8Array) =>
  examineFiles({ game: "snakes", weights, manifest: manifest(), weight_classes: weightClasses, boards: [board] })
const said = (weights: Uint8Array): string => {
  const checked = check(weights)
  if (checked.ok) return "admissible"
  return checked.verdict.verdict === "rejected"
    ? `${checked.verdict.reject_reason}: ${checked.verdict.reject_detail}`
    : checked.verdict.detail
}
const node = (opType: string, input: ReadonlyArray<string>, attribute: Node["attribute"] = []): Node =>
  ({ opType, input: [...input], output: ["x"], attribute }) as Node
const with_ = (made: Node, ...initializers: ReadonlyArray<Initializer>) => said(linear(1, [made], initializers))

/**
 * Models that compute the empty sum in a run; for the others the runtime computes it once, while it loads.
 * A product with a vector leaves the same memory in every run of some processes: emptiness.test.ts shows it
 * in a heap that was filled before.
 */
const IN_A_RUN = [
  "a Slice",
  "a Compress",
  "a Split",
  "a Tile",
  "a TopK",
  "what NonZero leaves over",
  "sizes that NonZero computes",
  "an observation without channels"
]

describe("a model with a memory that its manifest does not declare", () => {
  for (const { what, weights } of leakingModels()) {
    it(`by ${what} is refused without a run`, () => {
      assert.match(
        said(weights),
        /^unsupported_operator: (The initializer|Operator|The value) .*(zero|constant of the file|depends on what).*\.$/
      )
    })

    it.runIf(IN_A_RUN.includes(what))(`by ${what} would also fail the trial`, async () => {
      const verdict = await examineRuns(await compiledRuntime, weights, trialPlan())
      assert.deepInclude(verdict, { verdict: "rejected", reject_reason: "not_deterministic" })
    })
  }
})

describe("an extent of zero", () => {
  const rank0 = (name: string) => ints(name, [])

  it("is refused in initializers, constants, declared values and constant sizes, and the message names it", () => {
    assert.match(with_(node("Relu", ["none"]), floats("none", [2, 0], [])), /^unsupported_operator: The initializer "none" has/)
    assert.match(said(linear(1, [], [floats("unused", [0], [])])), /^unsupported_operator: The initializer "unused" has/)
    const flatten: Node = { opType: "Flatten", input: ["obs"], output: ["logits"] }
    const declaring = model({ node: [flatten], input: [snakesInput], output: [snakesOutput], valueInfo: [port("inner", [3, 0])] })
    assert.match(said(declaring), /^unsupported_operator: The value "inner" is declared with an extent of zero/)
    const empty = { name: "value_floats", type: AttributeType.FLOATS, floats: [] }
    assert.match(with_(node("Constant", [], [empty])), /^unsupported_operator: Operator Constant has an extent of zero/)
    for (const [made, ...initializers] of [
      [node("ConstantOfShape", ["s"]), ints("s", [3, 0])],
      [node("Expand", ["obs", "s"]), ints("s", [1, 12, 0, 1])],
      [node("Tile", ["obs", "s"]), ints("s", [1, 0, 1, 1])],
      [node("TopK", ["obs", "s"]), ints("s", [0])],
      [node("Split", ["obs", "s"]), ints("s", [0, 1])],
      [node("Slice", ["obs", "s", "s"]), ints("s", [3])],
      [node("Range", ["s", "s", "t"]), ints("s", [3], []), ints("t", [1], [])],
      [node("Resize", ["obs", "", "", "s"]), ints("s", [1, 12, 0, 4])],
      [node("TopK", ["obs"], [{ name: "k", type: AttributeType.INT, i: 0n }])],
      [node("Reshape", ["obs", "s"], [{ name: "allowzero", type: AttributeType.INT, i: 1n }]), ints("s", [0, 4])]
    ] as ReadonlyArray<readonly [Node, ...ReadonlyArray<Initializer>]>)
      assert.match(
        with_(made, ...initializers),
        /^unsupported_operator: Operator \w+ makes a tensor with an extent of zero/,
        made.opType ?? ""
      )
  })

  it("is allowed for lists: the shape of a scalar, no region, a Reshape that keeps a dimension", () => {
    assert.strictEqual(with_(node("ConstantOfShape", ["s"]), rank0("s")), "admissible")
    assert.strictEqual(with_(node("Resize", ["obs", "roi", "", "s"]), floats("roi", [0], []), ints("s", [1, 12, 11, 11])), "admissible")
    assert.strictEqual(with_(node("Reshape", ["obs", "s"]), ints("s", [0, -1])), "admissible")
    assert.match(with_(node("Add", ["obs", "s"]), floats("s", [0], [])), /unsupported_operator/)
  })

  it("that depends on computed numbers keeps a tensor out of MatMul, but not numbers derived from it", () => {
    const cells = { ...node("NonZero", ["obs"]), output: ["cells"] }
    const places = node("Cast", ["cells"], [{ name: "to", type: AttributeType.INT, i: 1n }])
    const toLogits = (from: string, ...made: ReadonlyArray<Node>) => said(linear(1, [cells, places, ...made], [], from))
    assert.match(toLogits("x"), /^unsupported_operator: Operator MatMul takes a tensor whose size depends/)
    const count = { ...node("ReduceSum", ["x"], [{ name: "keepdims", type: AttributeType.INT, i: 0n }]), output: ["count"] }
    assert.strictEqual(toLogits("sum", count, { ...node("Add", ["obs", "count"]), output: ["sum"] }), "admissible")
    const rows = { ...node("Transpose", ["cells"]), output: ["rows"] }
    const marked = { ...node("ScatterND", ["obs", "rows", "ones"]), output: ["marked"] }
    assert.strictEqual(toLogits("marked", rows, marked), "admissible")
  })

  it("does not concern quantized weights, which are constants, or slices with elements", () => {
    const weights = { name: "w", dims: [1n, 3n], dataType: DataType.UINT8, rawData: new Uint8Array(3) }
    assert.strictEqual(with_(node("MatMulInteger", ["obs", "w"]), weights), "admissible")
    assert.match(with_(node("MatMulInteger", ["obs", "obs"])), /its input 1 as a constant/)
    assert.strictEqual(with_(node("Slice", ["obs", "a", "b"]), ints("a", [0]), ints("b", [-1])), "admissible")
    assert.strictEqual(
      with_(node("Slice", ["obs", "a", "b", "c", "d"]), ints("a", [-1]), ints("b", [-9]), ints("c", [3]), ints("d", [-1])),
      "admissible"
    )
  })
})
