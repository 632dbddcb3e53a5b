/**
 * Models with an undeclared memory that they show in no position of a trial: a sum without
 * terms, by the board's size alone, is looked at only where the observation holds a number that
 * no position holds. For tests.
 */
import { AttributeType } from "@agon/onnx/Model.ts"
import { type Bytes, integer, type Leaking, leaking, node, quantities } from "./hostileExtents.ts"
import { floats, ints, type Node } from "./testModels.ts"

/** How many rows the observation has, less as many: a size of zero that follows from the board alone. */
const noRows: ReadonlyArray<Node> = [
  node("Shape", ["obs"], "sizes"),
  node("Gather", ["sizes", "two"], "rows"),
  node("Sub", ["rows", "rows"], "length")
]
/** A row of no numbers, and as many columns as it has numbers. */
const noSum: ReadonlyArray<Node> = [
  ...noRows,
  node("Concat", ["one", "length"], "row_shape", [integer("axis", 0)]),
  node("Concat", ["length", "columns"], "matrix_shape", [integer("axis", 0)]),
  node("ConstantOfShape", ["row_shape"], "left_floats"),
  node("ConstantOfShape", ["matrix_shape"], "right_floats")
]
const dequantized = (from: string, to: string): ReadonlyArray<Node> => [
  node("QuantizeLinear", [from, "scale", "point"], `${to}_bytes`),
  node("DequantizeLinear", [`${to}_bytes`, "scale", "point"], to)
]

const turned = (from: string, to: string) =>
  node("Transpose", [from], to, [{ name: "perm", type: AttributeType.INTS, ints: [0n, 1n, 3n, 2n] }])

const list = (name: string, ...values: ReadonlyArray<number>) => ({ name, type: AttributeType.INTS, ints: values.map(BigInt) })
const text = (name: string, value: string) => ({ name, type: AttributeType.STRING, s: new TextEncoder().encode(value) })

/**
 * The product of a vector without a number, which `from` is on a board of 11 rows, with
 * a matrix of as many columns.
 */
const vectorOf = (from: string): ReadonlyArray<Node> => [
  node("Reshape", [from, "all_of_it"], "vector"),
  node("Expand", ["vector", "by_columns"], "matrix"),
  node("MatMul", ["matrix", "vector"], "product"),
  node("Unsqueeze", ["product", "zero"], "made")
]

/** The first four of what the kernel left. */
const hiding = (nodes: ReadonlyArray<Node>): Bytes =>
  leaking(
    [
      ...nodes,
      node("Flatten", ["made"], "flat_made"),
      node("Reshape", ["flat_made", "all_of_it"], "list"),
      node("Slice", ["list", "zero", "times"], "seen"),
      node("ReduceMax", ["obs"], "most", [integer("keepdims", 0)]),
      node("Greater", ["most", "never"], "now"),
      node("Where", ["now", "seen", "nought"], "left")
    ],
    [
      ...quantities,
      floats("never", [], [1e7]),
      ints("two", [2]),
      ints("three", [3]),
      ints("eleven", [11]),
      ints("columns", [500]),
      ints("by_columns", [500, 1]),
      ints("all_of_it", [-1]),
      ints("column", [-1, 1]),
      floats("gates", [1, 200, 1], Array(200).fill(0.1)),
      floats("recurrence", [1, 200, 50], Array(10_000).fill(0.1)),
      floats("region", [8], Array(8).fill(1)),
      floats("shrinking", [4], [1, 1, 0.01, 0.01]),
      floats("slopes", [500, 1, 1], Array(500).fill(1))
    ]
  )

/** Operators over floats whose sum has no terms. */
const withoutTerms = (): Readonly<Record<string, Bytes>> => ({
  "a Conv without planes": hiding([
    ...noRows,
    ...["image", "kernel"].flatMap((name) => [
      node("Concat", [name === "image" ? "one" : "columns", "length", "three", "three"], `${name}_shape`, [integer("axis", 0)]),
      node("ConstantOfShape", [`${name}_shape`], name)
    ]),
    node("Conv", ["image", "kernel"], "made")
  ]),
  "a ConvTranspose without planes": hiding([
    ...noRows,
    node("Concat", ["one", "length", "three", "three"], "image_shape", [integer("axis", 0)]),
    node("Concat", ["length", "columns", "three", "three"], "kernel_shape", [integer("axis", 0)]),
    node("ConstantOfShape", ["image_shape"], "image"),
    node("ConstantOfShape", ["kernel_shape"], "kernel"),
    node("ConvTranspose", ["image", "kernel"], "made")
  ]),
  "an LSTM without a step": hiding([
    ...noRows,
    node("Concat", ["length", "one", "one"], "steps_shape", [integer("axis", 0)]),
    node("ConstantOfShape", ["steps_shape"], "steps"),
    node("LSTM", ["steps", "gates", "recurrence"], ["", "", "made"], [integer("hidden_size", 50)])
  ])
})

export const hidingModels = (): ReadonlyArray<Leaking> =>
  Object.entries({
    "a product with a vector": hiding([
      ...noRows,
      node("Concat", ["columns", "length"], "matrix_shape", [integer("axis", 0)]),
      node("ConstantOfShape", ["matrix_shape"], "matrix"),
      node("ConstantOfShape", ["length"], "vector"),
      node("MatMul", ["matrix", "vector"], "product"),
      node("Unsqueeze", ["product", "zero"], "made")
    ]),
    "a product of a matrix with several": hiding([
      ...noRows,
      node("Concat", ["columns", "length"], "matrix_shape", [integer("axis", 0)]),
      node("Concat", ["two", "length", "one"], "many_shape", [integer("axis", 0)]),
      node("ConstantOfShape", ["matrix_shape"], "matrix"),
      node("ConstantOfShape", ["many_shape"], "many"),
      node("MatMul", ["matrix", "many"], "made")
    ]),
    "a slice beyond the board": hiding([node("Slice", ["obs", "eleven", "columns", "two"], "beyond"), ...vectorOf("beyond")]),
    "a resized board of less than a row, beside a region of interest": hiding([
      node("Resize", ["obs", "region", "shrinking"], "shrunk", [text("mode", "nearest")]),
      ...vectorOf("shrunk")
    ]),
    "a pool that is wider than the board, whose pads do not count": hiding([
      node("MaxPool", ["obs"], "pool", [list("kernel_shape", 12, 12), list("pads", 11, 11, 11, 11), text("auto_pad", "VALID")]),
      ...vectorOf("pool")
    ]),
    "a product with a slope of more dimensions than what it is of": hiding([
      node("Slice", ["obs", "eleven", "columns", "two"], "beyond"),
      node("Reshape", ["beyond", "flat"], "row"),
      node("Reshape", ["beyond", "column"], "numbers"),
      node("PRelu", ["numbers", "slopes"], "many"),
      node("MatMul", ["row", "many"], "made")
    ]),
    ...withoutTerms(),
    "a product of turned factors, which is merged with what turns them": hiding([
      ...noRows,
      node("Concat", ["two", "three", "length", "one"], "matrix_shape", [integer("axis", 0)]),
      node("Concat", ["two", "three", "one", "length"], "many_shape", [integer("axis", 0)]),
      node("ConstantOfShape", ["matrix_shape"], "matrix"),
      node("ConstantOfShape", ["many_shape"], "many"),
      turned("matrix", "left_factor"),
      turned("many", "right_factor"),
      node("MatMul", ["left_factor", "right_factor"], "made")
    ]),
    "a product that is quantized as it is loaded": hiding([
      ...noSum,
      ...dequantized("left_floats", "left_factor"),
      ...dequantized("right_floats", "right_factor"),
      node("MatMul", ["left_factor", "right_factor"], "product"),
      ...dequantized("product", "made")
    ]),
    "a Gemm that is quantized as it is loaded": hiding([
      ...noSum,
      ...dequantized("left_floats", "left_factor"),
      ...dequantized("right_floats", "right_factor"),
      node("Gemm", ["left_factor", "right_factor"], "product"),
      ...dequantized("product", "made")
    ])
  }).map(([what, weights]) => ({ what, weights }))
