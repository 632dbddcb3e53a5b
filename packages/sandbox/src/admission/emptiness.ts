/**
 * Finds the values that have an element on every board, as far as the file shows it. A sum without terms
 * leaves old heap content in the outputs of some kernels (extents.ts). Where the sum's extent follows from
 * the board's size alone, the trial has it as a match does; but a model may look at what was left in a rare
 * position, so that the trial does not notice.
 *
 * Nearly every operator makes an output with elements of inputs with elements. The others are below, with
 * what shows that they do too.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import type { GraphProto, NodeProto, TensorProto } from "@agon/onnx/Model.ts"
import { attributeOf, textOf } from "./attributes.ts"
import { constantsOf } from "./bounds.ts"

type Numbers = ReadonlyArray<number>

export interface Known {
  /** Every extent is one at least. */
  readonly filled: boolean
  /**
   * The most that a number of it may be, where all are one at least: as sizes they make
   * no empty tensor. Otherwise 0.
   */
  readonly most: number
  /** The number of dimensions; undefined where the file does not show it. */
  readonly rank: number | undefined
}

const UNKNOWN: Known = { filled: false, most: 0, rank: undefined }
const FAR = 2 ** 31 - 1
/** No extent is larger: the runtime counts its memory in 32 bits. */
const EXTENT_MAX = 2 ** 32
/** A product beyond may wrap to zero. */
const NUMBER_MAX = 2 ** 62

/** A node with what is known of its inputs; `sizes` are the constant numbers of an input. */
interface Seen {
  readonly node: NodeProto
  readonly inputs: ReadonlyArray<Known>
  readonly sizes: (index: number) => Numbers | undefined
}

const intsOf = (node: NodeProto, name: string): Numbers | undefined => attributeOf(node, name)?.ints.map(Number)
const intOf = (node: NodeProto, name: string, otherwise: number): number => {
  const found = attributeOf(node, name)
  return found === undefined ? otherwise : Number(found.i)
}

const allFilled = ({ inputs }: Seen) => inputs.every(({ filled }) => filled)
const firstFilled = ({ inputs }: Seen) => inputs[0]?.filled ?? false
const mostAt = ({ inputs }: Seen, index: number) => inputs[index]?.most ?? 0
const positiveAt = (seen: Seen, index: number) => mostAt(seen, index) > 0

/** A stretch of a list of any length has an element from its beginning forward, or to its end. */
const reaches = (from: number, to: number, step: number) =>
  step > 0 ? (from === 0 && to >= 1) || (from < 0 && to >= FAR) : from === -1 && to <= -FAR
const slices = ({ node, sizes }: Seen): boolean => {
  const [from, to] = [sizes(1) ?? intsOf(node, "starts"), sizes(2) ?? intsOf(node, "ends")]
  const steps = node.input.length > 4 ? sizes(4) : []
  if (from === undefined || to === undefined || steps === undefined) return false
  return from.every((start, axis) => reaches(start, to[axis] ?? 0, steps[axis] ?? 1))
}
const scales = (seen: Seen) => {
  if (seen.node.attribute.some(({ name }) => name === "keep_aspect_ratio_policy")) return false // may shrink another axis to nothing
  const known = seen.sizes(seen.node.input.length === 2 ? 1 : 2) // the second of more is a region of interest
  return positiveAt(seen, 3) || (known !== undefined && known.length > 0 && known.every((scale) => scale >= 1))
}
/** A window that is one wider than its axis fits nowhere, and the runtime makes an empty output. */
const pools = ({ node }: Seen) => {
  const padding = textOf(node, "auto_pad")
  if (padding?.startsWith("SAME")) return true
  const list = (name: string) => intsOf(node, name) ?? []
  const [kernel, dilated] = [list("kernel_shape"), list("dilations")]
  const padded = padding === "VALID" ? [] : list("pads")
  return kernel.every((size, axis) => {
    const window = 1 + (size - 1) * (dilated[axis] ?? 1)
    return window <= 1 + (padded[axis] ?? 0) + (padded[axis + kernel.length] ?? 0)
  })
}
const pads = ({ node, sizes }: Seen) => (sizes(1) ?? intsOf(node, "pads"))?.every((pad) => pad >= 0) ?? false

/**
 * Operators whose output may be empty although no input is, with what shows that it is not; extents.ts
 * refuses zeros that the file states.
 */
const MAKERS: Readonly<Record<string, (seen: Seen) => boolean>> = {
  AveragePool: (seen) => firstFilled(seen) && pools(seen),
  Compress: () => false,
  ConstantOfShape: (seen) => positiveAt(seen, 0),
  Expand: (seen) => firstFilled(seen) && positiveAt(seen, 1),
  LpPool: (seen) => firstFilled(seen) && pools(seen),
  MaxPool: (seen) => firstFilled(seen) && pools(seen),
  NonZero: () => false,
  OneHot: (seen) => firstFilled(seen) && positiveAt(seen, 1),
  Pad: (seen) => firstFilled(seen) && pads(seen),
  Range: ({ sizes }) => [0, 1, 2].every((index) => sizes(index) !== undefined),
  Resize: (seen) => firstFilled(seen) && scales(seen),
  Shape: ({ inputs, node }) => (inputs[0]?.rank ?? 0) > 0 && node.attribute.length === 0,
  Size: () => true,
  Slice: (seen) => firstFilled(seen) && slices(seen),
  Split: (seen) => firstFilled(seen) && (seen.node.input.length < 2 || seen.sizes(1) !== undefined),
  Tile: (seen) => firstFilled(seen) && positiveAt(seen, 1),
  TopK: (seen) => firstFilled(seen) && (seen.node.input.length < 2 || positiveAt(seen, 1)),
  Upsample: (seen) => firstFilled(seen) && scales(seen),
  // One input with elements gives the result some.
  Concat: ({ inputs }) => inputs.some(({ filled }) => filled)
}
/** Their further inputs are lists of axes or sizes, which may be empty. */
const BY_FIRST = /^(?:Reduce|Reshape$|Squeeze$|Unsqueeze$)/

/** In narrower types 256 or 2^32 may be zero. */
const WIDE: ReadonlySet<number> = new Set([DataType.FLOAT, DataType.DOUBLE, DataType.INT64])
const KEEPS_NUMBERS = new Set(["Identity", "Cast", "Gather", "Slice", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Split"])
/** In a loop: a node may have a million inputs. */
const largest = (numbers: Numbers) => numbers.reduce((most, number) => Math.max(most, number), 0)
const productOf = (numbers: Numbers) => numbers.reduce((product, number) => product * number, 1)
const sumOf = (numbers: Numbers) => numbers.reduce((sum, number) => sum + number, 0)
/** The most of the output by the most of each input, where all are positive. */
const COMBINED: Readonly<Record<string, (most: Numbers) => number>> = {
  Add: sumOf,
  Concat: largest,
  Max: largest,
  Min: largest,
  Mul: productOf
}

const mostOf = (seen: Seen): number => {
  const { inputs, node } = seen
  if (node.opType === "Shape") return firstFilled(seen) ? EXTENT_MAX : 0
  if (node.opType === "Where") return positiveAt(seen, 1) && positiveAt(seen, 2) ? Math.max(mostAt(seen, 1), mostAt(seen, 2)) : 0
  if (node.opType === "Cast" && !WIDE.has(intOf(node, "to", DataType.UNDEFINED))) return 0
  if (KEEPS_NUMBERS.has(node.opType)) return mostAt(seen, 0)
  const combined = inputs.every(({ most }) => most > 0) ? (COMBINED[node.opType]?.(inputs.map(({ most }) => most)) ?? 0) : 0
  return combined > NUMBER_MAX ? 0 : combined
}

/** PRelu among them: the runtime takes a slope of more dimensions than its input, which the standard does not. */
const BROADCAST = new Set(
  `Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or PRelu Pow Sub
  Sum Where Xor MatMul`.split(/\s+/)
)
const OF_RANK: Readonly<Record<string, number>> = { Flatten: 2, Gemm: 2, NonZero: 2, Range: 1, Shape: 1, Size: 0 }
const CHANGES_RANK = new Set(
  `ArgMax ArgMin Attention Compress ConstantOfShape Det Einsum GatherND GRU LSTM MatMulInteger OneHot QLinearMatMul RNN Squeeze`.split(
    /\s+/
  )
)

const highest = (ranks: ReadonlyArray<number | undefined>) =>
  ranks.includes(undefined) ? undefined : largest(ranks.map((rank) => rank ?? 0))

const added = (...ranks: ReadonlyArray<number | undefined>) =>
  ranks.includes(undefined) ? undefined : sumOf(ranks.map((rank) => rank ?? 0))

const rankOf = ({ inputs, node, sizes }: Seen): number | undefined => {
  const { opType } = node
  const ranks = inputs.map(({ rank }) => rank)
  const first = ranks[0]
  if (OF_RANK[opType] !== undefined) return OF_RANK[opType]
  if (opType === "MatMul" && ranks.some((rank) => rank === undefined || rank < 2)) return undefined
  if (BROADCAST.has(opType)) return highest(ranks)
  if (opType === "Transpose") return intsOf(node, "perm")?.length ?? first
  if (opType === "Reshape") return sizes(1)?.length
  if (opType === "Expand") return highest([first, sizes(1)?.length])
  if (opType === "Unsqueeze") return added(first, (sizes(1) ?? intsOf(node, "axes"))?.length)
  if (opType === "Gather") return added(first, ranks[1], -1)
  if (opType.startsWith("Reduce")) return intOf(node, "keepdims", 1) === 1 ? first : undefined
  return CHANGES_RANK.has(opType) ? undefined : first
}

const knownOf = (seen: Seen): Known => {
  const make = MAKERS[seen.node.opType] ?? (BY_FIRST.test(seen.node.opType) ? firstFilled : allFilled)
  return { filled: make(seen), most: mostOf(seen), rank: rankOf(seen) }
}

const mostOfList = (numbers: Numbers | undefined): number =>
  numbers?.every((number) => number >= 1 && number <= NUMBER_MAX) ? Math.max(1, ...numbers) : 0

const ofTensor = ({ dataType, dims }: TensorProto, numbers: Numbers | undefined): Known => ({
  filled: !dims.includes(0n),
  most: WIDE.has(dataType) ? mostOfList(numbers) : 0,
  rank: dims.length
})

/** A Constant node; its other forms hold one number, or a list of them. */
const ofConstant = ({ attribute }: NodeProto, numbers: Numbers | undefined): Known => {
  const one = attribute[0]
  if (one?.t !== undefined) return ofTensor(one.t, numbers)
  const isList = one?.name.endsWith("s") ?? false
  return { filled: true, most: mostOfList(numbers), rank: isList ? 1 : 0 }
}

/**
 * The known sizes and constants of each value, by its name. Nodes stand in the order in which they run; of
 * one that does not, nothing is known.
 */
export const knownValues = (graph: GraphProto): ReadonlyMap<string, Known> => {
  const constants = constantsOf(graph)
  const known = new Map<string, Known>()
  for (const { name, type } of graph.input)
    known.set(name, {
      filled: true,
      most: 0,
      rank: type?.value.case === "tensorType" ? type.value.value.shape?.dim.length : undefined
    })
  for (const tensor of graph.initializer) known.set(tensor.name, ofTensor(tensor, constants.get(tensor.name)))
  for (const node of graph.node) {
    const inputs = node.input.map((name) => (name === "" ? { ...UNKNOWN, filled: true } : (known.get(name) ?? UNKNOWN)))
    const sizes = (index: number) => constants.get(node.input[index] ?? "")
    const found = node.opType === "Constant" ? ofConstant(node, constants.get(node.output[0] ?? "")) : knownOf({ node, inputs, sizes })
    // Of several outputs the first, and equal parts, have the rank and the numbers.
    for (const [index, output] of node.output.entries())
      known.set(output, index === 0 || node.opType === "Split" ? found : { ...UNKNOWN, filled: found.filled })
  }
  return known
}
