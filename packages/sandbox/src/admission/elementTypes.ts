/**
 * The supported element types, and every place where a file may name another one. A graph takes its types
 * from its inputs, its constants and the attributes that name a type; if all of these are supported, so are
 * the values computed from them.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import type { GraphProto, NodeProto, ValueInfoProto } from "@agon/onnx/Model.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import { named } from "./named.ts"

/** Bytes of one element, for every supported type. */
export const ELEMENT_BYTES: Readonly<Record<number, number>> = {
  [DataType.FLOAT]: 4,
  [DataType.UINT8]: 1,
  [DataType.INT8]: 1,
  [DataType.UINT16]: 2,
  [DataType.INT16]: 2,
  [DataType.INT32]: 4,
  [DataType.INT64]: 8,
  [DataType.BOOL]: 1,
  [DataType.FLOAT16]: 2,
  [DataType.DOUBLE]: 8,
  [DataType.UINT32]: 4,
  [DataType.UINT64]: 8
}
const SUPPORTED = "float16, float32, float64, int8 to int64, uint8 to uint64 and bool are supported"
/** By ONNX's published numbers. */
const NAMES: Readonly<Record<number, string>> = {
  0: "undefined",
  1: "float32",
  2: "uint8",
  3: "int8",
  4: "uint16",
  5: "int16",
  6: "int32",
  7: "int64",
  8: "text",
  9: "bool",
  10: "float16",
  11: "float64",
  12: "uint32",
  13: "uint64",
  14: "complex64",
  15: "complex128",
  16: "bfloat16",
  17: "float8e4m3fn",
  18: "float8e4m3fnuz",
  19: "float8e5m2",
  20: "float8e5m2fnuz",
  21: "uint4",
  22: "int4",
  23: "float4e2m1",
  24: "float8e8m0",
  25: "uint2",
  26: "int2"
}

export const typeName = (type: number | bigint): string => NAMES[Number(type)] ?? `number ${type}`

/** The end of the sentence for an unsupported type: its name and the types to use instead. */
export const spellType = (type: number | bigint): string =>
  `element type ${typeName(type)}; ${SUPPORTED}, so export the model with one of these`

/** Attributes whose value is an element type. Zero means that the operator chooses. */
const TYPE_ATTRIBUTES = new Set(["to", "dtype", "output_dtype", "stash_type", "softmax_precision"])

const checkNode = (node: NodeProto): string | null => {
  for (const { name, i } of node.attribute)
    if (TYPE_ATTRIBUTES.has(name) && i !== 0n && ELEMENT_BYTES[Number(i)] === undefined) return `${named(node)} makes the ${spellType(i)}.`
  return null
}

const checkValue = ({ name, type }: ValueInfoProto): string | null => {
  if (type === undefined || type.value.case === undefined) return null
  if (type.value.case !== "tensorType") return `The value ${quote(name)} is not declared as a tensor; only tensors are supported.`
  const { elemType } = type.value.value
  return elemType === DataType.UNDEFINED || ELEMENT_BYTES[elemType] !== undefined
    ? null
    : `The value ${quote(name)} has the ${spellType(elemType)}.`
}

/** Checks the types of nodes and declared values. The types of constants are checked with their data. */
export const checkElementTypes = (graph: GraphProto): Rejected | null => {
  for (const node of graph.node) {
    const message = checkNode(node)
    if (message !== null) return reject("unsupported_operator", message)
  }
  for (const value of graph.valueInfo) {
    const message = checkValue(value)
    if (message !== null) return reject("unsupported_operator", message)
  }
  return null
}
