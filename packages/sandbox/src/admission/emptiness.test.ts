/** Sums that have no terms by the board's size alone, which a model can hide from the trial. */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { Heap } from "../worker/testing/testHeap.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { examineFiles } from "./static.ts"
import { hidingModels } from "./testing/hidingModels.ts"
import {
  board,
  floats,
  type Initializer,
  ints,
  linear,
  manifest,
  model,
  type Node,
  snakesInput,
  snakesOutput,
  trialPlan,
  weightClasses
} from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const said = (weights: Uint8Array): string => {
  const checked = examineFiles({ game: "snakes", weights, manifest: manifest(), weight_classes: weightClasses, boards: [board] })
  if (checked.ok) return "admissible"
  return checked.verdict.verdict === "rejected" ? checked.verdict.reject_detail : checked.verdict.detail
}
const integer = (name: string, value: number) => ({ name, type: AttributeType.INT, i: BigInt(value) })
const list = (name: string, ...values: ReadonlyArray<number>) => ({ name, type: AttributeType.INTS, ints: values.map(BigInt) })
const node = (
  opType: string,
  input: ReadonlyArray<string>,
  output: string | ReadonlyArray<string>,
  attribute: Node["attribute"] = []
): Node => ({ opType, input: [...input], output: typeof output === "string" ? [output] : [...output], attribute }) as Node

/** Attention over the cells of the observation: `nodes` make `q`, `k` and `v` of `x`, which is [N, cells, 12]. */
const attending = (nodes: ReadonlyArray<Node>, ...initializers: ReadonlyArray<Initializer>) =>
  said(
    model({
      node: [
        node("Reshape", ["obs", "planes"], "rows"),
        node("Transpose", ["rows"], "x", [list("perm", 0, 2, 1)]),
        ...nodes,
        node("Transpose", ["k"], "k_turned", [list("perm", 0, 2, 1)]),
        node("Shape", ["q"], "q_sizes"),
        node("Slice", ["q_sizes", "last", "far"], "depth"),
        node("Cast", ["depth"], "depth_f", [integer("to", 1)]),
        node("Sqrt", ["depth_f"], "root"),
        node("MatMul", ["q", "k_turned"], "scores"),
        node("Div", ["scores", "root"], "scaled"),
        node("Softmax", ["scaled"], "weights"),
        node("MatMul", ["weights", "v"], "mixed"),
        node("ReduceMean", ["mixed"], "logits", [list("axes", 1), integer("keepdims", 0)])
      ],
      initializer: [
        ints("planes", [0, 12, -1]),
        ints("last", [-1]),
        ints("far", [2 ** 53]),
        floats("w", [12, 12], Array(144).fill(0.1)),
        floats("w_v", [12, 4], Array(48).fill(0.1)),
        ...initializers
      ],
      input: [snakesInput],
      output: [snakesOutput]
    })
  )
const each = [node("MatMul", ["x", "w"], "q"), node("MatMul", ["x", "w"], "k"), node("MatMul", ["x", "w_v"], "v")]

describe("a sum without terms that follows from the board's size", () => {
  for (const { what, weights } of hidingModels())
    it(`by ${what} passes the trial, and is refused without a run`, async () => {
      const verdict = await examineRuns(await compiledRuntime, weights, trialPlan())
      assert.strictEqual(verdict.verdict, "admitted", JSON.stringify(verdict))
      assert.match(said(weights), /^Operator \w+ takes (two tensors|as its input \d a tensor) that may have no element on some board/)
    })
})

describe("a kernel over floats", () => {
  const SHAPES: Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>> = {
    Conv: [
      [1, 0, 11, 11],
      [64, 0, 3, 3]
    ],
    ConvTranspose: [
      [1, 0, 11, 11],
      [0, 64, 3, 3]
    ],
    LSTM: [
      [3, 2, 0],
      [1, 200, 0],
      [1, 200, 50]
    ]
  }
  for (const [opType, shapes] of Object.entries(SHAPES))
    it(`of ${opType} leaves old memory of the runtime where a sum has no terms`, async () => {
      const heaps = await Promise.all([1, 2].map(async (seed) => Heap.make(await compiledRuntime, seed)))
      const outputs = opType === "LSTM" ? ["all", "last", "cell"] : ["out"]
      const names = shapes.map((_, index) => `in${index}`)
      const initializer = shapes.map((dims, index) =>
        floats(
          names[index]!,
          dims,
          Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => i + 1)
        )
      )
      const attribute = opType === "LSTM" ? [integer("hidden_size", 50)] : []
      const made = model({
        name: "sum",
        node: [node(opType, names, outputs, attribute)],
        initializer,
        output: outputs.map((name) => ({ name }))
      })
      // The memory that is left depends on the memory that lies free, which each run changes.
      const runs = Array.from({ length: 8 }, () => heaps.map((heap) => heap.outputs(made, outputs)?.join()))
      assert.isDefined(runs[0]![0])
      assert.isTrue(runs.some(([first, second]) => first !== second))
    })
})

describe("products of computed tensors that are taken", () => {
  it("attention as exporters write it: by three products, and by one that is split", () => {
    assert.strictEqual(attending(each), "admissible")
    const together = node("MatMul", ["x", "w_all"], "all")
    const w_all = floats("w_all", [12, 28], Array(336).fill(0.1))
    assert.strictEqual(
      attending([together, node("Split", ["all", "parts"], ["q", "k", "v"], [integer("axis", 2)])], w_all, ints("parts", [12, 12, 4])),
      "admissible"
    )
  })

  it("attention by a query that is spread over the batch", () => {
    const spread = [
      node("Shape", ["obs"], "sizes"),
      node("Gather", ["sizes", "first"], "batch"),
      node("Concat", ["batch", "rest"], "shape", [integer("axis", 0)]),
      node("Expand", ["asked", "shape"], "q"),
      ...each.slice(1)
    ]
    assert.strictEqual(
      attending(spread, ints("first", [0]), ints("rest", [3, 12]), floats("asked", [1, 3, 12], Array(36).fill(1))),
      "admissible"
    )
  })

  it("quantized attention, where a factor has elements on every board", () => {
    const quantized = ["q", "k", "v"].flatMap((name, index) => [
      { ...each[index]!, output: [`${name}_f`] },
      node("QuantizeLinear", [`${name}_f`, "scale", "point"], `${name}_bytes`),
      node("DequantizeLinear", [`${name}_bytes`, "scale", "point"], name)
    ])
    const point = { name: "point", dims: [], dataType: 2, rawData: Uint8Array.of(3) }
    assert.strictEqual(attending(quantized, floats("scale", [], [0.1]), point), "admissible")
  })
})

describe("the rank of a factor", () => {
  /** The product of `left` and `right`, both made of a slice that is empty on a board of 11 rows. */
  const product = (...nodes: ReadonlyArray<Node>) =>
    said(
      linear(
        1,
        [node("Slice", ["obs", "eleven", "far", "two"], "beyond"), ...nodes, node("MatMul", ["left", "right"], "unused")],
        [
          ...[ints("eleven", [11]), ints("far", [2 ** 53]), ints("two", [2]), ints("flat_shape", [1, -1])],
          ...[ints("three", [1, -1, 1]), ints("list", [-1])],
          { name: "bytes", dims: [1n, 1n, 4n], dataType: DataType.UINT8, rawData: new Uint8Array(4) }
        ]
      )
    )
  const shaped = (shape: string, to: string) => node("Reshape", ["beyond", shape], to)

  it("makes the kernel write zeros where the first has as many as the second, two at least", () => {
    assert.strictEqual(product(shaped("flat_shape", "left"), shaped("flat_shape", "right")), "admissible")
    assert.strictEqual(product(shaped("three", "left"), shaped("flat_shape", "right")), "admissible")
    assert.match(product(shaped("flat_shape", "left"), shaped("three", "right")), /may have no element/)
    assert.match(product(shaped("flat_shape", "left"), shaped("list", "right")), /may have no element/)
    const turned = node("Transpose", ["flat_left"], "left", [list("perm", 1, 0)])
    assert.match(product(shaped("flat_shape", "flat_left"), turned, shaped("flat_shape", "right")), /may have no element/)
  })

  it("is not taken from another output, nor from the factor of another product", () => {
    const scale = [shaped("flat_shape", "a"), node("DynamicQuantizeLinear", ["a"], ["b", "left", "c"]), shaped("flat_shape", "right")]
    assert.match(product(...scale), /may have no element/)
    const raised = [
      shaped("flat_shape", "a"),
      node("Cast", ["a"], "b", [integer("to", DataType.UINT8)]),
      node("MatMulInteger", ["b", "bytes"], "c"),
      node("Cast", ["c"], "right", [integer("to", DataType.FLOAT)]),
      shaped("flat_shape", "left")
    ]
    assert.match(product(...raised), /may have no element/)
  })
})

describe("sizes that are computed", () => {
  const expanded = (sizes: ReadonlyArray<Node>, ...initializers: ReadonlyArray<Initializer>) =>
    attending(
      [
        node("Shape", ["obs"], "sizes"),
        node("Gather", ["sizes", "two"], "height"),
        ...sizes,
        node("ConstantOfShape", ["length"], "matrix"),
        node("Squeeze", ["matrix"], "vector"),
        node("MatMul", ["matrix", "vector"], "unused"),
        ...each
      ],
      ints("two", [2]),
      ...initializers
    )

  it("are at least one after sums and products of extents, and may be zero after differences, products that wrap and narrower types", () => {
    assert.strictEqual(expanded([node("Mul", ["height", "two"], "length")]), "admissible")
    assert.strictEqual(expanded([node("Add", ["height", "two"], "length")]), "admissible")
    assert.match(expanded([node("Sub", ["height", "two"], "length")]), /may have no element/)
    assert.match(expanded([node("Div", ["height", "two"], "length")]), /may have no element/)
    const wrapping = [node("Mul", ["large", "large"], "larger"), node("Mul", ["larger", "height"], "length")]
    assert.match(expanded(wrapping, ints("large", [2 ** 32])), /may have no element/)
    const narrow = [
      node("Cast", ["bytes"], "byte", [integer("to", DataType.UINT8)]),
      node("Cast", ["byte"], "length", [integer("to", DataType.INT64)])
    ]
    assert.match(expanded(narrow, ints("bytes", [256])), /may have no element/)
  })
})
