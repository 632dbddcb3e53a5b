/** Small models for tests, good and bad, written with our own encoder. Not used by anything but tests. */
import { DataType } from "@agon/onnx/DataType.ts"
import { encodeModel, type ModelInit } from "@agon/onnx/Model.ts"

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

export const snakesInput = port("obs", ["N", 12, "H", "W"])
export const snakesOutput = port("logits", ["N", 4])

export const model = (graph: Graph, opset = 17, rest: ModelInit = {}): Uint8Array<ArrayBuffer> =>
  encodeModel({ irVersion: 8n, opsetImport: [{ domain: "", version: BigInt(opset) }], ...rest, graph } as ModelInit)

/** Pooled planes times a matrix: plays any board of snakes, badly. `extra` nodes run before; `from` is what is pooled. */
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
    initializer: [
      floats(
        "weights",
        [12, 4],
        Array.from({ length: 48 }, (_, i) => Math.sin(seed * 7 + i))
      ),
      ...initializers
    ],
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
