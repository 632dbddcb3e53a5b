/**
 * Models that mean harm, for tests, one for each kind of file that an open competition has to expect. They
 * are written with our own encoder and are as well formed as their purpose allows, so that only the check
 * in question can refuse them.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType, DataLocation, type ModelInit } from "@agon/onnx/Model.ts"
import { floats, type Initializer, ints, linear, model, type Node, port, snakesInput, snakesOutput } from "./testModels.ts"

type Attribute = NonNullable<Node["attribute"]>[number]
type Bytes = Uint8Array<ArrayBuffer>

const integer = (name: string, value: number): Attribute => ({ name, type: AttributeType.INT, i: BigInt(value) })
const node = (opType: string, input: ReadonlyArray<string>, output: string, attribute: ReadonlyArray<Attribute> = []): Node => ({
  opType,
  input: [...input],
  output: [output],
  attribute: [...attribute]
})
const truth = (name: string): Initializer => ({ name, dims: [], dataType: DataType.BOOL, rawData: Uint8Array.of(1) })

/** Takes the mean of `from`, times zero, into the observation: the tensor has to be made, and the answers stay good. */
const mixedIn = (from: string): ReadonlyArray<Node> => [
  node("ReduceMean", [from], "mean", [integer("keepdims", 0)]),
  node("Mul", ["mean", "zero"], "nothing"),
  node("Add", ["obs", "nothing"], "mixed")
]
const making = (nodes: ReadonlyArray<Node>, initializers: ReadonlyArray<Initializer>, made = "made"): Bytes =>
  linear(1, [...nodes, ...mixedIn(made)], [floats("zero", [1], [0]), ...initializers], "mixed")

/**
 * A constant whose data are said to lie at `location`; one such name makes ONNX Runtime read
 * its own memory at the offset.
 */
export const external = (location: string): Bytes => {
  const entries = Object.entries({ location, offset: "4096", length: "192" })
  const tensor: Initializer = {
    name: "stolen",
    dims: [48n],
    dataType: DataType.FLOAT,
    dataLocation: DataLocation.EXTERNAL,
    externalData: entries.map(([key, value]) => ({ key, value }))
  }
  return making([node("Identity", ["stolen"], "made")], [tensor])
}

/** A Loop of 2^62 rounds whose condition never turns false. With `growing`, what it carries doubles in each of them. */
export const looping = (growing: boolean): Bytes => {
  const carried = growing ? node("Concat", ["in", "in"], "out", [integer("axis", 0)]) : node("Identity", ["in"], "out")
  const body = {
    name: "body",
    node: [node("Identity", ["go_in"], "go_out"), carried],
    input: [port("i", [], DataType.INT64), port("go_in", [], DataType.BOOL), port("in", [undefined])],
    output: [port("go_out", [], DataType.BOOL), port("out", [undefined])]
  }
  const loop = node("Loop", ["rounds", "go", "start"], "made", [{ name: "body", type: AttributeType.GRAPH, g: body }])
  return making([loop], [ints("rounds", [2 ** 62], []), truth("go"), floats("start", [1], [1])])
}

export const branching = (): Bytes => {
  const arm = { name: "arm", node: [node("Identity", ["obs"], "inner")], output: [port("inner", ["N", 12, "H", "W"])] }
  const arms = ["then_branch", "else_branch"].map((name) => ({ name, type: AttributeType.GRAPH, g: arm }))
  return making([node("If", ["go"], "made", arms)], [truth("go")])
}

export const scanning = (): Bytes => {
  const body = { name: "body", node: [node("Identity", ["in"], "out")], input: [port("in", [12])], output: [port("out", [12])] }
  return making([node("Scan", ["obs"], "made", [{ name: "body", type: AttributeType.GRAPH, g: body }, integer("num_scan_inputs", 1)])], [])
}

/** Function 0 calls function 1 twice, that one function 2 twice …: 2^depth nodes once they are inlined. */
export const functionBomb = (depth: number): Bytes => {
  const opsetImport = [
    { domain: "", version: 17n },
    { domain: "bomb", version: 1n }
  ]
  const functions = Array.from({ length: depth }, (_, i) => {
    const call = (from: string, to: string): Node =>
      i + 1 === depth ? node("Neg", [from], to) : { ...node(`f${i + 1}`, [from], to), domain: "bomb" }
    return { name: `f${i}`, domain: "bomb", input: ["x"], output: ["z"], node: [call("x", "y"), call("y", "z")], opsetImport }
  })
  const nodes = [{ ...node("f0", ["obs"], "made"), domain: "bomb" }, ...mixedIn("made"), node("Flatten", ["mixed"], "logits")]
  const graph = { node: nodes, initializer: [floats("zero", [1], [0])], input: [snakesInput], output: [snakesOutput] }
  return model(graph, 17, { opsetImport, functions } as ModelInit)
}

/** A chain of `count` nodes, each one message. */
export const chain = (count: number): Bytes =>
  linear(
    1,
    Array.from({ length: count }, (_, i) => ({ opType: "Neg", input: [i === 0 ? "obs" : `n${i - 1}`], output: [`n${i}`] })),
    [],
    `n${count - 1}`
  )

export const MAKERS = ["ConstantOfShape", "Expand", "Tile", "Range", "Resize", "Pad", "OneHot"] as const
/** Squared and times four bytes: above every memory cap, and above what the runtime can count in 32 bits. */
export const SIDE = { overCap: 8_192, overflowing: 46_341 } as const

/**
 * Makes a tensor of `side` squared from a size that the graph computes: nothing in the file is large. Where
 * all of it is constant, the runtime makes it while it loads; with `atRun` the side depends on the input.
 */
export const foldBomb = (opType: (typeof MAKERS)[number], side: number = SIDE.overCap, atRun = false): Bytes => {
  const first: ReadonlyArray<Node> = atRun
    ? [node("Shape", ["obs"], "sizes"), node("Gather", ["sizes", "first"], "one")]
    : [node("Identity", ["seed"], "one")]
  const sides = [...first, node("Mul", ["one", "side"], "long"), node("Concat", ["long", "long"], "square", [integer("axis", 0)])]
  const initializers = [ints("seed", [1]), ints("first", [0]), ints("side", [side]), floats("dot", [1, 1], [1])]
  const one = floats("one_f", [], [1])
  const scalar = (name: string, value: number) => ints(name, [value], [])
  switch (opType) {
    case "ConstantOfShape":
      return making([...sides, node(opType, ["square"], "made")], initializers)
    case "Expand":
    case "Tile":
      return making([...sides, node(opType, ["dot", "square"], "made")], initializers)
    case "Resize":
      return making([...sides, { ...node(opType, ["dot", "", "", "square"], "made") }], initializers)
    case "Pad":
      return making(
        [...sides, node("Concat", ["square", "square"], "pads", [integer("axis", 0)]), node(opType, ["dot", "pads"], "made")],
        initializers
      )
    case "OneHot":
      return making(
        [
          ...sides,
          node("Squeeze", ["long"], "depth"),
          node("ConstantOfShape", ["long"], "zeros"),
          node("Cast", ["zeros"], "indices", [integer("to", DataType.INT64)]),
          node(opType, ["indices", "depth", "values"], "made")
        ],
        [...initializers, floats("values", [2], [0, 1])]
      )
    case "Range":
      return making(
        [
          ...sides,
          node("Squeeze", ["long"], "short"),
          node("Mul", ["short", "short"], "limit"),
          node(opType, ["start", "limit", "delta"], "many"),
          node("Cast", ["many"], "made", [integer("to", DataType.FLOAT)])
        ],
        [...initializers, one, scalar("start", 0), scalar("delta", 1)]
      )
  }
}

/** Draws numbers. Our own list of operators refuses it; ONNX Runtime plays it. */
export const drawing = (opType: string, seed?: number): Bytes => {
  const seeded: ReadonlyArray<Attribute> = seed === undefined ? [] : [{ name: "seed", type: AttributeType.FLOAT, f: seed }]
  const shaped: ReadonlyArray<Attribute> = opType.endsWith("Like")
    ? []
    : [{ name: "shape", type: AttributeType.INTS, ints: [1n, 12n, 1n, 1n] }]
  const draw = node(opType, opType.endsWith("Like") ? ["obs"] : [], "drawn", [...seeded, ...shaped])
  return linear(1, [draw, node("Add", ["obs", "drawn"], "moved")], [], "moved")
}

/** A few kilobytes that the runtime makes constants of while it loads: so many convolutions of 64 channels of 20 x 20 by 15 x 15. */
export const folding = (convolutions: number): Bytes => {
  const filled = (name: string, value: number): Attribute => ({
    name,
    type: AttributeType.TENSOR,
    t: { dims: [1n], dataType: DataType.FLOAT, floatData: [value] }
  })
  const pads: Attribute = { name: "pads", type: AttributeType.INTS, ints: [7n, 7n, 7n, 7n] }
  const nodes = [
    node("ConstantOfShape", ["cells"], "folded0", [filled("value", 0.001)]),
    node("ConstantOfShape", ["kernel"], "by", [filled("value", 0.0001)]),
    ...Array.from({ length: convolutions }, (_, i) => node("Conv", [`folded${i}`, "by"], `folded${i + 1}`, [pads]))
  ]
  return making(nodes, [ints("cells", [1, 64, 20, 20]), ints("kernel", [64, 64, 15, 15])], `folded${convolutions}`)
}
