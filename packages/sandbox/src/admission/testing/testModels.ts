/** Small models for tests, good and bad, written with our own encoder. Not used by anything but tests. */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType, decodeModel, encodeModel, type ModelInit } from "@agon/onnx/Model.ts"

type Graph = NonNullable<ModelInit["graph"]>
export type Node = NonNullable<Graph["node"]>[number]
export type Initializer = NonNullable<Graph["initializer"]>[number]
export type Dim = number | string | undefined

export const floats = (name: string, dims: ReadonlyArray<number>, values: ReadonlyArray<number> | Float32Array): Initializer => ({
  name,
  dims: dims.map(BigInt),
  dataType: DataType.FLOAT,
  rawData: new Uint8Array(Float32Array.from(values).buffer)
})

export const ints = (name: string, values: ReadonlyArray<number>, dims: ReadonlyArray<number> = [values.length]): Initializer => ({
  name,
  dims: dims.map(BigInt),
  dataType: DataType.INT64,
  rawData: new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer)
})

export const port = (name: string, dims: ReadonlyArray<Dim>, elemType: number = DataType.FLOAT) => ({
  name,
  type: {
    value: {
      case: "tensorType" as const,
      value: {
        elemType,
        shape: {
          dim: dims.map((dim) =>
            dim === undefined
              ? {}
              : {
                  value:
                    typeof dim === "number" ? { case: "dimValue" as const, value: BigInt(dim) } : { case: "dimParam" as const, value: dim }
                }
          )
        }
      }
    }
  }
})

/** Snakes on a board of 11 x 11, for a model without memory. */
export const boardSizes = { planes: 12, rows: 11, cols: 11, actions: 4, flat: 0, cell: 0 }
/** The plan of a trial on that board alone. */
export const trialPlan = (opset = 17) =>
  ({
    param_count: 0,
    manifest: { format: "agon-manifest/1", game: "snakes", runtime: "onnx", opset, memory: { flat: 0, cell: 0 } },
    boards: [boardSizes]
  }) as const

export const snakesInput = port("obs", ["N", 12, "H", "W"])
export const snakesOutput = port("logits", ["N", 4])

export const model = (graph: Graph, opset = 17, rest: ModelInit = {}): Uint8Array<ArrayBuffer> =>
  encodeModel({ irVersion: 8n, opsetImport: [{ domain: "", version: BigInt(opset) }], ...rest, graph } as ModelInit)

/** Row by row: a plane of the observation, a move. Planes 8 to 11 say where a move meets nothing. */
const survival = (seed: number) =>
  Array.from({ length: 48 }, (_, i) => (Math.floor(i / 4) === 8 + (i % 4) ? 10 : 0) + 0.01 * Math.sin(seed * 7 + i))

/**
 * Pooled planes times a matrix: keeps off walls and bodies, no more. `extra` nodes run
 * before; `from` is what is pooled.
 */
export const linear = (
  seed = 1,
  extra: ReadonlyArray<Node> = [],
  initializers: ReadonlyArray<Initializer> = [],
  from = "obs"
): Uint8Array<ArrayBuffer> =>
  model({
    node: [
      ...extra,
      { opType: "GlobalAveragePool", input: [from], output: ["pooled"] },
      { opType: "Flatten", input: ["pooled"], output: ["flat"] },
      { opType: "MatMul", input: ["flat", "weights"], output: ["logits"] }
    ],
    initializer: [floats("weights", [12, 4], survival(seed)), ...initializers],
    input: [snakesInput],
    output: [snakesOutput]
  })

/** `linear` with a Softmax along the batch, whose size is 1: every logit is 1, whatever the board shows. */
export const undecided = (): Uint8Array<ArrayBuffer> =>
  model({
    node: [
      { opType: "GlobalAveragePool", input: ["obs"], output: ["pooled"] },
      { opType: "Flatten", input: ["pooled"], output: ["flat"] },
      { opType: "MatMul", input: ["flat", "weights"], output: ["scores"] },
      { opType: "Softmax", input: ["scores"], output: ["logits"], attribute: [{ name: "axis", type: AttributeType.INT, i: 0n }] }
    ],
    initializer: [floats("weights", [12, 4], survival(1))],
    input: [snakesInput],
    output: [snakesOutput]
  })

export const manifest = (over: Readonly<Record<string, unknown>> = {}): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ format: "agon-manifest/1", game: "snakes", runtime: "onnx", opset: 17, memory: { flat: 0, cell: 0 }, ...over })
  )

export const board = {
  format: "snakes-board/1",
  map_id: "plain",
  players: 2,
  rows: 11,
  cols: 11,
  wrap: false,
  walls: [],
  spawns: [
    [5, 2],
    [5, 8]
  ],
  food: [[5, 5]],
  min_food: 1,
  food_chance: 15,
  max_turns: 300
}

export const weightClasses = [
  { class: "nano", max_bytes: 262_144, memory_flat_bytes: 1_024, memory_cell_bytes: 16 },
  { class: "open", max_bytes: 67_108_864, memory_flat_bytes: 65_536, memory_cell_bytes: 64 }
]

const node = (opType: string, input: ReadonlyArray<string>, output: string, attribute: Node["attribute"] = []): Node =>
  ({ opType, input: [...input], output: [output], attribute }) as Node
const integer = (name: string, value: number) => ({ name, type: AttributeType.INT, i: BigInt(value) })

/**
 * Multiplies a matrix of side 1,024 with itself 200 times: minutes of work. At load where it is
 * constant, else in every run.
 */
export const stalling = (when: "load" | "run"): Uint8Array<ArrayBuffer> => {
  const side = 1_024
  const first = when === "run" ? node("Mul", ["big", "mean"], "b0") : node("Mul", ["big", "one"], "b0")
  const products = Array.from({ length: 200 }, (_, i) => node("MatMul", [`b${i}`, `b${i}`], `b${i + 1}`))
  return linear(
    1,
    [
      node("ReduceMean", ["obs"], "mean", [integer("keepdims", 0)]),
      first,
      ...products,
      node("ReduceMean", ["b200"], "last", [integer("keepdims", 0)]),
      node("Mul", ["last", "zero"], "nothing"),
      node("Add", ["obs", "nothing"], "busy")
    ],
    [floats("big", [side, side], new Float32Array(side * side).fill(1 / side)), floats("one", [1], [1]), floats("zero", [1], [0])],
    "busy"
  )
}

/** Doubles its observation `times` times: 23 kB become terabytes. */
export const doubling = (times: number): Uint8Array<ArrayBuffer> =>
  linear(
    1,
    Array.from({ length: times }, (_, i) => node("Concat", Array(2).fill(i === 0 ? "obs" : `d${i - 1}`), `d${i}`, [integer("axis", 3)])),
    [],
    `d${times - 1}`
  )

/** A chain of `count` convolutions of 32 planes: about 0.25 ms each on a board of 11 x 11. */
export const convolving = (count: number): Uint8Array<ArrayBuffer> => {
  const pads = { name: "pads", type: AttributeType.INTS, ints: [1n, 1n, 1n, 1n] }
  return linear(
    1,
    [
      ...Array.from({ length: count }, (_, i) => node("Conv", [i === 0 ? "obs" : `c${i - 1}`, `k${i}`], `c${i}`, [pads])),
      node("Tanh", [`c${count - 1}`], "small"),
      node("Mul", ["small", "little"], "tiny"),
      node("Add", ["obs", "tiny"], "kept")
    ],
    [
      floats("little", [1], [0.01]),
      ...Array.from({ length: count }, (_, i) => {
        const [to, from] = [i + 1 === count ? 12 : 32, i === 0 ? 12 : 32]
        return floats(
          `k${i}`,
          [to, from, 3, 3],
          Array.from({ length: to * from * 9 }, (_, at) => Math.sin(at + i) / 17)
        )
      })
    ],
    "kept"
  )
}

/**
 * The plain model with the operator sets that ONNX Runtime's quantization, tf2onnx and
 * torch.onnx list in every file.
 */
export const listing = (): Uint8Array<ArrayBuffer> => {
  const domains = ["ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc", "ai.onnx.training", "org.pytorch.aten", "pkg.onnxscript.torch_lib"]
  const { graph } = decodeModel(linear())
  return model(graph as Graph, 17, { opsetImport: ["", ...domains].map((domain) => ({ domain, version: domain === "" ? 17n : 1n })) })
}

export const dividing = (): Uint8Array<ArrayBuffer> =>
  linear(1, [node("Sub", ["obs", "obs"], "zero"), node("Div", ["zero", "zero"], "bad")], [], "bad")

/** Fails in every run: the matrix does not fit the board. */
export const failing = (): Uint8Array<ArrayBuffer> =>
  linear(1, [node("MatMul", ["obs", "matrix"], "bad")], [floats("matrix", [5, 5], Array(25).fill(1))], "bad")

/** Declares as many logits as it likes and gives 24. */
export const misshapen = (): Uint8Array<ArrayBuffer> =>
  model({
    node: [
      node("GlobalAveragePool", ["obs"], "pooled"),
      node("Flatten", ["pooled"], "flat"),
      node("Concat", ["flat", "flat"], "logits", [integer("axis", 1)])
    ],
    input: [snakesInput],
    output: [port("logits", ["N", "A"])]
  })

/** Counts its turns in `memory_flat`, by this step: up while the count is below three, then right. */
export const counting = (step = 1): Uint8Array<ArrayBuffer> =>
  model({
    node: [
      node("Add", ["memory_flat", "one"], "memory_flat_out"),
      node("ReduceMean", ["obs"], "mean", [integer("keepdims", 0)]),
      node("Mul", ["mean", "zero"], "nothing"),
      node("MatMul", ["memory_flat", "slope"], "line"),
      node("Add", ["line", "bias"], "moves"),
      node("Add", ["moves", "nothing"], "logits")
    ],
    initializer: [
      floats("one", [1], [step]),
      floats("zero", [1], [0]),
      floats("slope", [1, 4], [0, 1, 0, 0]),
      floats("bias", [4], [2.5, 0, -9, -9])
    ],
    input: [snakesInput, port("memory_flat", ["N", 1])],
    output: [snakesOutput, port("memory_flat_out", ["N", 1])]
  })

/**
 * Works on every pair of cells that are zero: nothing to do on dense noise, some hundred milliseconds on a
 * real board, most of whose planes are empty.
 */
export const slowOnEmptyCells = (): Uint8Array<ArrayBuffer> =>
  linear(
    1,
    [
      node("Equal", ["obs", "none"], "empty"),
      node("NonZero", ["empty"], "cells"),
      node("Cast", ["cells"], "places", [integer("to", DataType.FLOAT)]),
      node("ReduceSum", ["places", "first"], "row"),
      node("Transpose", ["row"], "column"),
      node("Mul", ["row", "column"], "pairs"),
      node("Sin", ["pairs"], "wave"),
      node("Tan", ["wave"], "slope"),
      node("ReduceSum", ["slope"], "sum", [integer("keepdims", 0)]),
      node("Mul", ["sum", "none"], "nothing"),
      node("Add", ["obs", "nothing"], "busy")
    ],
    [floats("none", [], [0]), ints("first", [0])],
    "busy"
  )

/**
 * Counts its turns in `memory_flat`, as `counting` does, and is slow (some hundred milliseconds) in the
 * turns where the count is at least `from`; before, it has next to nothing to do. A count that was
 * zeroed makes it quick again.
 */
export const slowFrom = (from: number, side = 2_048): Uint8Array<ArrayBuffer> =>
  model({
    node: [
      node("Add", ["memory_flat", "one"], "memory_flat_out"),
      node("Sub", ["memory_flat", "start"], "beyond"),
      node("Clip", ["beyond", "nought", "unit"], "slow"),
      node("Mul", ["slow", "side"], "long"),
      node("Reshape", ["long", "flat"], "longs"),
      node("Cast", ["longs"], "sizes", [integer("to", DataType.INT64)]),
      node("Concat", ["sizes", "sizes"], "square", [integer("axis", 0)]),
      node("Expand", ["one", "square"], "made"),
      node("Tan", ["made"], "slope"),
      node("Tan", ["slope"], "steeper"),
      node("Sin", ["steeper"], "wave"),
      node("ReduceSum", ["wave"], "sum", [integer("keepdims", 0)]),
      node("Mul", ["sum", "nought"], "sums"),
      node("ReduceMean", ["obs"], "mean", [integer("keepdims", 0)]),
      node("Mul", ["mean", "nought"], "nothing"),
      node("MatMul", ["memory_flat", "turn"], "line"),
      node("Add", ["line", "bias"], "moves"),
      node("Add", ["moves", "nothing"], "move"),
      node("Add", ["move", "sums"], "logits")
    ],
    initializer: [
      floats("one", [1, 1], [1]),
      floats("nought", [], [0]),
      floats("unit", [], [1]),
      floats("start", [], [from - 1]),
      floats("side", [], [side]),
      ints("flat", [1]),
      floats("turn", [1, 4], [0, 1, 0, 0]),
      floats("bias", [4], [2.5, 0, -9, -9])
    ],
    input: [snakesInput, port("memory_flat", ["N", 1])],
    output: [snakesOutput, port("memory_flat_out", ["N", 1])]
  })
