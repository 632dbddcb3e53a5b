/**
 * Operators that make large tensors out of small ones. If the sizes are constants of the file,
 * the result is bounded here, so that the rejection can name the node. Sizes computed in the
 * graph are left to the memory cap.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import type { AttributeProto, GraphProto, NodeProto, TensorProto } from "@agon/onnx/Model.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import { named } from "./named.ts"

/** 64 MiB of float32, far more than any observation or activation of these games. */
const ELEMENTS_MAX = 16_777_216
/** For strides, kernels, paddings and the like; no board is wider. */
const EXTENT_MAX = 4_096
/** A longer list is data and not a list of sizes. */
const SIZES_MAX = 64

type Numbers = ReadonlyArray<number>

const viewOf = (tensor: TensorProto): DataView => new DataView(tensor.rawData.buffer, tensor.rawData.byteOffset, tensor.rawData.byteLength)

const valuesOf = (tensor: TensorProto): Numbers | null => {
  const raw = viewOf(tensor)
  const read = (bytes: number, at: (offset: number) => number): Numbers | null =>
    raw.byteLength > SIZES_MAX * bytes ? null : Array.from({ length: Math.floor(raw.byteLength / bytes) }, (_, index) => at(index * bytes))
  const from = (list: ReadonlyArray<number | bigint>): Numbers | null => (list.length > SIZES_MAX ? null : list.map(Number))
  if (tensor.dataType === DataType.INT64)
    return raw.byteLength > 0 ? read(8, (at) => Number(raw.getBigInt64(at, true))) : from(tensor.int64Data)
  if (tensor.dataType === DataType.INT32) return raw.byteLength > 0 ? read(4, (at) => raw.getInt32(at, true)) : from(tensor.int32Data)
  if (tensor.dataType === DataType.FLOAT) return raw.byteLength > 0 ? read(4, (at) => raw.getFloat32(at, true)) : from(tensor.floatData)
  if (tensor.dataType === DataType.DOUBLE) return raw.byteLength > 0 ? read(8, (at) => raw.getFloat64(at, true)) : from(tensor.doubleData)
  return null
}

const constantOf = ({ name, t, i, f, ints, floats }: AttributeProto): Numbers | null => {
  if (name === "value" && t !== undefined) return valuesOf(t)
  if (name === "value_int") return [Number(i)]
  if (name === "value_float") return [f]
  if (name === "value_ints") return ints.length > SIZES_MAX ? null : ints.map(Number)
  if (name === "value_floats") return floats.length > SIZES_MAX ? null : floats
  return null
}

/** Sizes known from the file: short lists in initializers and Constant nodes, by the name of their value. */
export const constantsOf = (graph: GraphProto): ReadonlyMap<string, Numbers> => {
  const constants = new Map<string, Numbers>()
  for (const tensor of graph.initializer) {
    const values = valuesOf(tensor)
    if (values !== null) constants.set(tensor.name, values)
  }
  for (const node of graph.node) {
    const attribute = node.opType === "Constant" ? node.attribute[0] : undefined
    const values = attribute === undefined ? null : constantOf(attribute)
    if (values !== null && node.output[0] !== undefined) constants.set(node.output[0], values)
  }
  return constants
}

const productOf = (sizes: Numbers) => sizes.reduce((product, size) => product * Math.abs(size), 1)
const tooMany = (sizes: Numbers | undefined) => sizes !== undefined && (!sizes.every(Number.isFinite) || productOf(sizes) > ELEMENTS_MAX)
const tooWide = (sizes: Numbers | undefined) => sizes?.some((size) => !(Math.abs(size) <= EXTENT_MAX)) ?? false

const rangeTooLong = ([start, limit, delta]: ReadonlyArray<Numbers | undefined>): boolean => {
  if (delta !== undefined && delta[0] === 0) return true
  if (start === undefined || limit === undefined || delta === undefined) return false
  return !((limit[0]! - start[0]!) / delta[0]! <= ELEMENTS_MAX)
}

const EXTENTS = new Set([
  "pads",
  "output_shape",
  "output_padding",
  "kernel_shape",
  "dilations",
  "strides",
  "repeats",
  "blocksize",
  "hidden_size"
])
const attributeTooWide = (node: NodeProto) =>
  node.attribute.find(({ name, i, ints }) => EXTENTS.has(name) && tooWide([Number(i), ...ints.map(Number)]))

const excessOf = (node: NodeProto, constants: ReadonlyMap<string, Numbers>): string | null => {
  const inputs = node.input.map((name) => constants.get(name))
  const wide = attributeTooWide(node)
  if (wide !== undefined) return `has ${quote(wide.name)} above ${EXTENT_MAX}`
  const many = `makes a tensor of more than ${ELEMENTS_MAX} elements`
  switch (node.opType) {
    case "ConstantOfShape":
      return tooMany(inputs[0]) ? many : null
    case "Expand":
    case "Reshape":
    case "Tile":
      return tooMany(inputs[1]) ? many : null
    case "Range":
      return rangeTooLong(inputs) ? many : null
    case "OneHot":
      return tooMany(inputs[1]) ? many : null
    case "Pad":
      return tooWide(inputs[1]) ? `pads by more than ${EXTENT_MAX}` : null
    case "Upsample":
      return tooWide(inputs[1]) ? `scales by more than ${EXTENT_MAX}` : null
    case "Resize":
      return tooWide(inputs[2]) || tooMany(inputs[3]) || (node.input.length === 2 && tooWide(inputs[1])) ? many : null
    default:
      return null
  }
}

export const checkBounds = (graph: GraphProto): Rejected | null => {
  const constants = constantsOf(graph)
  for (const node of graph.node) {
    const excess = excessOf(node, constants)
    if (excess !== null) return reject("unsupported_operator", `${named(node)} ${excess}.`)
  }
  return null
}
