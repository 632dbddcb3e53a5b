/**
 * Builds an ONNX graph node by node. Values are named by short counters in the order in which they are made,
 * so the same calls give the same bytes; equal constants are stored once, so a step that is unrolled forty
 * times costs forty nodes and one kernel.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType, encodeModel, type ModelInit } from "@agon/onnx/Model.ts"

type GraphInit = NonNullable<ModelInit["graph"]>
type NodeInit = NonNullable<GraphInit["node"]>[number]
type TensorInit = NonNullable<GraphInit["initializer"]>[number]
type ValueInit = NonNullable<GraphInit["input"]>[number]
type AttributeInit = NonNullable<NodeInit["attribute"]>[number]

/** The name of a value in the graph. */
export type Value = string
/** A known size, or the name of one that changes from run to run. */
export type Dimension = number | string
export type Attribute = number | { readonly float: number } | ReadonlyArray<number> | string

export const OPSET = 17

const text = new TextEncoder()

const attribute = (name: string, value: Attribute): AttributeInit => {
  if (typeof value === "number") return { name, type: AttributeType.INT, i: BigInt(value) }
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: text.encode(value) }
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float }
  return { name, type: AttributeType.INTS, ints: value.map(BigInt) }
}

const valueInfo = (name: Value, dimensions: ReadonlyArray<Dimension>): ValueInit => ({
  name,
  type: {
    value: {
      case: "tensorType",
      value: {
        elemType: DataType.FLOAT,
        shape: {
          dim: dimensions.map((size) => ({
            value:
              typeof size === "number" ? { case: "dimValue" as const, value: BigInt(size) } : { case: "dimParam" as const, value: size }
          }))
        }
      }
    }
  }
})

/** Longer constants are not compared with earlier ones. */
const SHARED_CONSTANT_BYTES = 4096

export class Graph {
  readonly #name: string
  readonly #nodes: Array<NodeInit> = []
  readonly #constants: Array<TensorInit> = []
  readonly #shared = new Map<string, Value>()
  readonly #inputs: Array<ValueInit> = []
  readonly #outputs: Array<ValueInit> = []
  #made = 0

  constructor(name: string) {
    this.#name = name
  }

  input(name: string, dimensions: ReadonlyArray<Dimension>): Value {
    this.#inputs.push(valueInfo(name, dimensions))
    return name
  }

  /** Names `value` as an output of the graph. */
  output(name: string, dimensions: ReadonlyArray<Dimension>, value: Value): void {
    this.#nodes.push({ opType: "Identity", input: [value], output: [name] })
    this.#outputs.push(valueInfo(name, dimensions))
  }

  node(opType: string, input: ReadonlyArray<Value>, attributes: Readonly<Record<string, Attribute>> = {}): Value {
    const output = this.#next()
    const node: NodeInit = { opType, input: [...input], output: [output] }
    if (Object.keys(attributes).length > 0) node.attribute = Object.entries(attributes).map(([name, value]) => attribute(name, value))
    this.#nodes.push(node)
    return output
  }

  /** A float constant; without dimensions a scalar. */
  floats(values: Float32Array | ReadonlyArray<number>, dimensions: ReadonlyArray<number> = []): Value {
    return this.#constant(DataType.FLOAT, new Uint8Array(Float32Array.from(values).buffer), dimensions)
  }

  float(value: number): Value {
    return this.floats([value])
  }

  /** A list of int64, as shapes, axes and indices are. */
  ints(values: ReadonlyArray<number>, dimensions: ReadonlyArray<number> = [values.length]): Value {
    return this.#constant(DataType.INT64, new Uint8Array(BigInt64Array.from(values, BigInt).buffer), dimensions)
  }

  build(): Uint8Array<ArrayBuffer> {
    return encodeModel({
      irVersion: 8n,
      producerName: "agon-zoo",
      opsetImport: [{ domain: "", version: BigInt(OPSET) }],
      graph: { name: this.#name, node: this.#nodes, initializer: this.#constants, input: this.#inputs, output: this.#outputs }
    })
  }

  #next(): Value {
    this.#made += 1
    return `v${this.#made.toString(36)}`
  }

  #constant(dataType: number, rawData: Uint8Array, dimensions: ReadonlyArray<number>): Value {
    const key = rawData.length > SHARED_CONSTANT_BYTES ? null : `${dataType}:${dimensions.join("x")}:${rawData.join(",")}`
    const known = key === null ? undefined : this.#shared.get(key)
    if (known !== undefined) return known
    const name = this.#next()
    this.#constants.push({ name, dims: dimensions.map(BigInt), dataType, rawData })
    if (key !== null) this.#shared.set(key, name)
    return name
  }
}
