/**
 * Models with an undeclared memory: a sum without terms, whose kernel leaves old heap content in its output,
 * mixed into the logits. They differ in how the extent of zero arises. For tests.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { floats, type Initializer, ints, model, type Node, snakesInput, snakesOutput } from "./testModels.ts"

type Attribute = NonNullable<Node["attribute"]>[number]
export type Bytes = Uint8Array<ArrayBuffer>

export const node = (
  opType: string,
  input: ReadonlyArray<string>,
  output: string | ReadonlyArray<string>,
  attribute: ReadonlyArray<Attribute> = []
): Node => ({
  opType,
  input: [...input],
  output: typeof output === "string" ? [output] : [...output],
  attribute: [...attribute]
})
export const integer = (name: string, value: number): Attribute => ({ name, type: AttributeType.INT, i: BigInt(value) })
const constant = (t: Initializer, output: string): Node => node("Constant", [], output, [{ name: "value", type: AttributeType.TENSOR, t }])
const bytes = (name: string, ...dims: ReadonlyArray<number>): Initializer => ({
  name,
  dims: dims.map(BigInt),
  dataType: DataType.UINT8,
  rawData: new Uint8Array(dims.reduce((product, dim) => product * dim, 1)).fill(1)
})
const toBytes = (from: string, to: string) => node("Cast", [from], to, [integer("to", DataType.UINT8)])

const ALL = [
  ints("zero", [0]),
  ints("one", [1]),
  ints("flat", [1, -1]),
  ints("tall", [-1, 4]),
  ints("none", [1, 0]),
  ints("times", [4]),
  floats("nought", [1], [0])
]

/** The logits of a good model and, beside them, four numbers of what `kernel` left in `left`. */
export const leaking = (nodes: ReadonlyArray<Node>, initializers: ReadonlyArray<Initializer>, shape = [1, 4], opset?: number): Bytes =>
  model(
    {
      node: [
        node("GlobalAveragePool", ["obs"], "pooled"),
        node("Flatten", ["pooled"], "flattened"),
        node("MatMul", ["flattened", "weights"], "honest"),
        ...nodes,
        node("Cast", ["left"], "number", [integer("to", DataType.FLOAT)]),
        node("Clip", ["number", "low", "high"], "bounded"),
        node("Reshape", ["bounded", "four"], "hidden"),
        node("Add", ["honest", "hidden"], "logits")
      ],
      initializer: [
        floats("weights", [12, 4], Array(48).fill(0.1)),
        floats("low", [], [-1e6]),
        floats("high", [], [1e6]),
        ints("four", shape),
        ...ALL,
        ...initializers
      ],
      input: [snakesInput],
      output: [snakesOutput]
    },
    opset
  )

/**
 * `nodes` make `row` (or give it as an initializer), without an element; its product with a matrix
 * without rows is four numbers.
 */
const multiplied = (nodes: ReadonlyArray<Node>, initializers: ReadonlyArray<Initializer> = []): Bytes =>
  leaking(
    [...nodes, toBytes("row", "narrow"), node("MatMulInteger", ["narrow", "matrix"], "left")],
    [...initializers, ...(initializers.some(({ name }) => name === "matrix") ? [] : [bytes("matrix", 0, 4)])]
  )

/** Both factors are computed, so no constant of the file has an extent of zero. */
const computed = (nodes: ReadonlyArray<Node>): Bytes =>
  leaking(
    [
      ...nodes,
      node("Reshape", ["nothing", "wide"], "row", [integer("allowzero", 1)]),
      node("Reshape", ["nothing", "high_one"], "column", [integer("allowzero", 1)]),
      toBytes("row", "narrow"),
      toBytes("column", "matrix"),
      node("MatMulInteger", ["narrow", "matrix"], "left")
    ],
    []
  )

/**
 * How many of the observation's cells are above its highest: none. NonZero lists them, and the list's
 * own size shapes both factors.
 */
const noCells: ReadonlyArray<Node> = [
  node("ReduceMax", ["obs"], "most"),
  node("Greater", ["obs", "most"], "above"),
  node("NonZero", ["above"], "cells")
]
const shapedBy = (nothing: string): ReadonlyArray<Node> => [
  node("Identity", [nothing], "nothing"),
  node("Size", ["nothing"], "count"),
  node("Unsqueeze", ["count", "zero"], "length"),
  node("Concat", ["one", "length"], "wide", [integer("axis", 0)]),
  node("Concat", ["length", "times"], "high_one", [integer("axis", 0)])
]

export const quantities = [floats("scale", [], [1]), { ...bytes("point"), name: "point" }]
const convolved = (
  opType: "ConvInteger" | "QLinearConv",
  nodes: ReadonlyArray<Node>,
  image: string,
  initializers: ReadonlyArray<Initializer>
) => {
  const inputs = opType === "ConvInteger" ? [image, "kernel"] : [image, "scale", "point", "kernel", "scale", "point", "scale", "point"]
  return leaking(
    [
      ...nodes,
      node(opType, inputs, "map"),
      node("Slice", ["map", "zero", "one", "three"], "column"),
      node("Slice", ["column", "zero", "one", "two"], "left")
    ],
    [...initializers, ...quantities, ints("three", [3]), ints("two", [2]), bytes("kernel", 4, 0, 1, 1)]
  )
}

export interface Leaking {
  readonly what: string
  readonly weights: Bytes
}

export const leakingModels = (): ReadonlyArray<Leaking> =>
  Object.entries({
    "two initializers": multiplied([], [floats("row", [1, 0], [])]),
    "a constant": multiplied([constant(floats("", [1, 0], []), "row")]),
    "a ConstantOfShape": multiplied([node("ConstantOfShape", ["none"], "row")]),
    "an Expand": multiplied([node("Expand", ["nought", "none"], "row")]),
    "a Slice": multiplied([node("Reshape", ["obs", "flat"], "all"), node("Slice", ["all", "zero", "zero", "one"], "row")]),
    "a Compress": multiplied([
      node("Reshape", ["obs", "flat"], "all"),
      constant({ name: "", dims: [1n], dataType: DataType.BOOL, rawData: Uint8Array.of(0) }, "no"),
      node("Compress", ["all", "no"], "row", [integer("axis", 1)])
    ]),
    "a Split": multiplied(
      [node("Split", ["pooled_row", "sizes"], ["row", "rest"], [integer("axis", 1)]), node("Flatten", ["pooled"], "pooled_row")].reverse(),
      [ints("sizes", [0, 12])]
    ),
    "a Range": multiplied([
      constant(floats("", [], [0]), "from"),
      constant(floats("", [], [1]), "by"),
      node("Range", ["from", "from", "by"], "list"),
      node("Unsqueeze", ["list", "zero"], "row")
    ]),
    "a Tile": multiplied([node("Reshape", ["obs", "flat"], "all"), node("Tile", ["all", "none"], "row")]),
    "a TopK": multiplied([node("TopK", ["flattened", "zero"], ["row", "places"])]),
    "what NonZero leaves over": multiplied([
      ...noCells,
      node("Cast", ["cells"], "places", [integer("to", DataType.FLOAT)]),
      node("Slice", ["places", "zero", "one", "zero"], "row")
    ]),
    "sizes that NonZero computes": computed([...noCells, ...shapedBy("cells")]),
    "an image without channels": convolved("ConvInteger", [], "image", [bytes("image", 1, 0, 5, 5)]),
    "an observation without channels": convolved(
      "ConvInteger",
      [node("Slice", ["obs", "zero", "zero", "one"], "no_planes"), toBytes("no_planes", "image")],
      "image",
      []
    ),
    "a quantized image without channels": convolved("QLinearConv", [], "image", [bytes("image", 1, 0, 5, 5)]),
    "a quantized product": leaking(
      [node("QLinearMatMul", ["row", "scale", "point", "matrix", "scale", "point", "scale", "point"], "left")],
      [...quantities, bytes("row", 1, 0), bytes("matrix", 0, 4)]
    ),
    "a product with a vector": leaking(
      [
        ...noCells,
        node("Cast", ["cells"], "places", [integer("to", DataType.FLOAT)]),
        node("Slice", ["places", "zero", "one", "zero"], "vector_row"),
        node("Reshape", ["vector_row", "minus"], "vector"),
        node("Expand", ["vector", "by_four"], "matrix"),
        node("MatMul", ["matrix", "vector"], "left")
      ],
      [ints("minus", [-1]), ints("by_four", [4, 1])]
    )
  }).map(([what, weights]) => ({ what, weights }))
