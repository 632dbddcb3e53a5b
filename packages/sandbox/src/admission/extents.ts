/**
 * No tensor may have an extent of zero. Some kernels of the runtime do not write their output if a sum has no
 * terms. The output is then old heap content, which a model can use as an undeclared memory between turns.
 * Extents are checked wherever the file states them: in constants, declared values and constant sizes.
 *
 * Extents that depend on a run stay unknown here. The kernels known to leave outputs unwritten
 * (kernels.test.ts looks for them) are therefore allowed only if a constant of the file shows that
 * the sum has terms, or if the file shows that the tensor which gives the terms has an element on
 * every board (emptiness.ts): of the factors of a product one is enough, or their ranks may be such
 * that the kernel writes zeros.
 */
import type { GraphProto, NodeProto, TensorProto, ValueInfoProto } from "@agon/onnx/Model.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import { constantsOf } from "./bounds.ts"
import { type Known, knownValues } from "./emptiness.ts"
import { looseValues } from "./looseExtents.ts"
import { named } from "./named.ts"

type Numbers = ReadonlyArray<number>
type Constants = ReadonlyMap<string, Numbers>

/**
 * Inputs read as a list of sizes or axes. An empty list is legal there: the shape of a scalar, no axes, no region of
 * interest. They hold no numbers of the model.
 */
const LISTS: Readonly<Record<string, ReadonlyArray<number>>> = {
  ConstantOfShape: [0],
  Expand: [1],
  Reshape: [1],
  Resize: [1, 2],
  Squeeze: [1],
  ReduceMean: [1],
  ReduceSum: [1]
}

const isList = (node: NodeProto, index: number) => LISTS[node.opType]?.includes(index) ?? false

/**
 * The names that are used, and whose every use may be an empty list. One pass over the inputs: a
 * file may have a million of them.
 */
const listsOnly = ({ node, output }: GraphProto): ReadonlySet<string> => {
  const lists = new Set<string>()
  const others = new Set(output.map(({ name }) => name))
  for (const one of node)
    for (const [index, name] of one.input.entries()) {
      if (isList(one, index)) lists.add(name)
      else others.add(name)
    }
  return lists.difference(others)
}

const isEmpty = ({ dims }: TensorProto) => dims.includes(0n)

/** A Constant node without a single element. */
const isEmptyConstant = ({ attribute, opType }: NodeProto): boolean =>
  opType === "Constant" &&
  attribute.some(
    ({ floats, ints, name, t }) =>
      (t !== undefined && isEmpty(t)) || (name === "value_ints" && ints.length === 0) || (name === "value_floats" && floats.length === 0)
  )

const declaresZero = ({ type }: ValueInfoProto): boolean =>
  type?.value.case === "tensorType" &&
  (type.value.value.shape?.dim.some(({ value }) => value.case === "dimValue" && value.value === 0n) ?? false)

const hasZero = (sizes: Numbers | undefined) => sizes?.includes(0) ?? false
const attributeOf = (node: NodeProto, name: string): Numbers | undefined => {
  const found = node.attribute.find((one) => one.name === name)
  return found === undefined ? undefined : found.ints.length > 0 ? found.ints.map(Number) : [Number(found.i)]
}

/** Whether both ends are counted from the same side with nothing between them in the direction of the step. */
const isEmptyStretch = (start: number, end: number, step: number) => start < 0 === end < 0 && (step > 0 ? start >= end : start <= end)

const slicesNothing = (node: NodeProto, [, starts, ends, , steps]: ReadonlyArray<Numbers | undefined>): boolean => {
  const [from, to] = [starts ?? attributeOf(node, "starts"), ends ?? attributeOf(node, "ends")]
  if (from === undefined || to === undefined || (node.input.length > 4 && steps === undefined)) return false
  return from.some((start, axis) => to[axis] !== undefined && isEmptyStretch(start, to[axis], steps?.[axis] ?? 1))
}

const rangesOverNothing = ([start, limit, delta]: ReadonlyArray<Numbers | undefined>): boolean =>
  start !== undefined && limit !== undefined && delta !== undefined && !((limit[0]! - start[0]!) / delta[0]! > 0)

/** Whether the node's constant sizes give it an output without elements. */
const makesNothing = (node: NodeProto, constants: Constants): boolean => {
  const inputs = node.input.map((name) => constants.get(name))
  switch (node.opType) {
    case "ConstantOfShape":
    case "EyeLike":
      return hasZero(inputs[0])
    case "Expand":
    case "Tile":
    case "OneHot":
    case "Upsample":
      return hasZero(inputs[1])
    case "TopK":
      return hasZero(inputs[1]) || hasZero(attributeOf(node, "k"))
    case "Split":
      return hasZero(inputs[1]) || hasZero(attributeOf(node, "split"))
    case "Reshape":
      return attributeOf(node, "allowzero")?.[0] === 1 && hasZero(inputs[1])
    case "Resize":
      return hasZero(inputs[2]) || hasZero(inputs[3]) || (node.input.length === 2 && hasZero(inputs[1]))
    case "Slice":
      return slicesNothing(node, inputs)
    case "Range":
      return rangesOverNothing(inputs)
    default:
      return false
  }
}

/**
 * Kernels that leave outputs unwritten if a sum has no terms, with the input whose
 * extents give the number of terms.
 */
const TERMS: Readonly<Record<string, number>> = { ConvInteger: 1, MatMulInteger: 1, QLinearConv: 3, QLinearMatMul: 3 }
/** The same for MatMul, whose inputs are computed: their extents may not depend on computed numbers. */
const FIXED = new Set(["MatMul"])
/**
 * The same for kernels whose inputs may be computed: the one that has to have an element on every board. An
 * LSTM without a step leaves its cell unwritten.
 */
const FILLED: Readonly<Record<string, number>> = { Conv: 1, ConvTranspose: 1, LSTM: 0 }
/**
 * Products of two that may both be computed. In a graph with DequantizeLinear the runtime may make a
 * quantized kernel of a Gemm as well.
 */
const PRODUCTS = new Set(["Gemm", "MatMul"])

export const filledKernels: ReadonlySet<string> = new Set(Object.keys(FILLED))
export const guardedKernels: ReadonlySet<string> = new Set([...Object.keys(TERMS), ...FIXED, ...filledKernels])

interface Graphwide {
  readonly known: ReadonlyMap<string, Known>
  readonly dequantizes: boolean
  /** The runtime may merge it with a product into another kernel. */
  readonly transposes: boolean
}

/**
 * The kernel for floats fills an empty sum with zeros unless a factor is a vector, or
 * the first has fewer dimensions.
 */
const fillsZeros = ([left, right]: ReadonlyArray<Known | undefined>): boolean =>
  left?.rank !== undefined && right?.rank !== undefined && right.rank >= 2 && left.rank >= right.rank

/** Whether the sums of a product have terms on every board, or do no harm without. */
const hasTerms = ({ input, opType }: NodeProto, { dequantizes, known, transposes }: Graphwide): boolean => {
  const factors = input.slice(0, 2).map((name) => known.get(name))
  if (opType !== "MatMul" && !dequantizes) return true
  if (factors.some((factor) => factor?.filled)) return true
  return !dequantizes && !transposes && fillsZeros(factors)
}

/** Finds a tensor that is empty by the file itself; the message says where. */
const findEmpty = (graph: GraphProto): string | null => {
  const lists = listsOnly(graph)
  for (const tensor of graph.initializer)
    if (isEmpty(tensor) && !lists.has(tensor.name)) return `The initializer ${quote(tensor.name)} has an extent of zero`
  for (const node of graph.node)
    if (isEmptyConstant(node) && !lists.has(node.output[0] ?? "")) return `${named(node)} has an extent of zero`
  for (const value of [...graph.input, ...graph.output, ...graph.valueInfo])
    if (declaresZero(value)) return `The value ${quote(value.name)} is declared with an extent of zero`
  return null
}

export const checkExtents = (graph: GraphProto): Rejected | null => {
  const empty = findEmpty(graph)
  if (empty !== null) return reject("unsupported_operator", `${empty}; remove empty tensors.`)
  const constants = constantsOf(graph)
  for (const node of graph.node)
    if (makesNothing(node, constants))
      return reject("unsupported_operator", `${named(node)} makes a tensor with an extent of zero; remove it.`)
  return checkKernels(graph)
}

const checkKernels = (graph: GraphProto): Rejected | null => {
  const constant = new Set([
    ...graph.initializer.map(({ name }) => name),
    ...graph.node.flatMap((node) => (node.opType === "Constant" ? node.output : []))
  ])
  const loose = looseValues(graph)
  const has = (wanted: string) => graph.node.some(({ opType }) => opType === wanted)
  const graphwide = { known: knownValues(graph), dequantizes: has("DequantizeLinear"), transposes: has("Transpose") }
  for (const node of graph.node) {
    const input = TERMS[node.opType]
    if (input !== undefined && !constant.has(node.input[input] ?? ""))
      return reject(
        "unsupported_operator",
        `${named(node)} is allowed only with its input ${input} as a constant of the file; export its weights as an initializer.`
      )
    if (FIXED.has(node.opType) && node.input.some((name) => loose.has(name)))
      return reject(
        "unsupported_operator",
        `${named(node)} takes a tensor whose size depends on what the model computes (NonZero, Compress, a computed slice); use Where and fixed sizes.`
      )
    const filled = FILLED[node.opType]
    if (filled !== undefined && !graphwide.known.get(node.input[filled] ?? "")?.filled)
      return reject(
        "unsupported_operator",
        `${named(node)} takes as its input ${filled} a tensor that may have no element on some board (after a Slice from the middle, a pool or a difference of sizes); use Split, a Conv with strides, or weights as an initializer.`
      )
    if (PRODUCTS.has(node.opType) && !hasTerms(node, graphwide))
      return reject(
        "unsupported_operator",
        `${named(node)} takes two tensors that may have no element on some board (after a Slice from the middle, a pool or a difference of sizes); use Split, or a Conv with strides.`
      )
  }
  return null
}
