/**
 * Values whose extents depend on the numbers that a model computes, not only on the board's size: outputs of
 * NonZero and Compress, and tensors of a size computed from an observation. The trial uses a few
 * observations, so it cannot know the extents of such a value in a match.
 *
 *   fixed    extents and contents follow from the file and the board's size
 *   data     the contents depend on the observation or the memory, the extents do not
 *   loose    the extents do too
 */
import type { GraphProto, NodeProto } from "@agon/onnx/Model.ts"

const [DATA, LOOSE] = [1, 2]
type Level = number

/** Inputs that determine the size of the output. */
const SIZE_INPUTS: Readonly<Record<string, ReadonlyArray<number>>> = {
  ConstantOfShape: [0],
  Expand: [1],
  OneHot: [1],
  Pad: [1, 3],
  Range: [0, 1, 2],
  Reshape: [1],
  Resize: [1, 2, 3],
  Slice: [1, 2, 3, 4],
  Split: [1],
  Tile: [1],
  TopK: [1],
  Upsample: [1]
}
/** Their outputs have one element for each matching element of the input. */
const SELECTING = new Set(["NonZero", "Compress"])
/** Their outputs depend on the extents of the input and not on its contents. */
const MEASURING = new Set(["Shape", "Size"])

/** A reduction of all elements to one number. */
const isWhole = ({ attribute, input, opType }: NodeProto) =>
  opType.startsWith("Reduce") && input.length < 2 && !attribute.some(({ name }) => name === "axes")

/**
 * The highest levels among a node's inputs. They only rise, so a million inputs cost as many steps,
 * however often they are looked at.
 */
interface Risen {
  readonly node: NodeProto
  readonly whole: boolean
  /** The level of the first input, of those that determine the size of the output, and of all. */
  first: Level
  size: Level
  most: Level
}

const note = (risen: Risen, index: number, level: Level): void => {
  risen.most = Math.max(risen.most, level)
  if (index === 0) risen.first = Math.max(risen.first, level)
  if (SIZE_INPUTS[risen.node.opType]?.includes(index)) risen.size = Math.max(risen.size, level)
}

const levelOf = ({ first, most, node: { opType }, size, whole }: Risen): Level => {
  if (MEASURING.has(opType)) return most === LOOSE ? DATA : 0
  if (whole) return Math.min(most, DATA)
  // Writing into a tensor does not change its extents.
  if (opType.startsWith("Scatter")) return Math.max(first, Math.min(most, DATA))
  if (SELECTING.has(opType) && most > 0) return LOOSE
  return size > 0 ? LOOSE : most
}

type Use = readonly [risen: Risen, index: number]

const usesIn = (graph: GraphProto): ReadonlyMap<string, ReadonlyArray<Use>> => {
  const uses = new Map<string, Array<Use>>()
  for (const node of graph.node) {
    const risen: Risen = { node, whole: isWhole(node), first: 0, size: 0, most: 0 }
    for (const [index, name] of node.input.entries()) {
      const known = uses.get(name)
      if (known === undefined) uses.set(name, [[risen, index]])
      else known.push([risen, index])
    }
  }
  return uses
}

/**
 * The names of all loose values. Nodes may stand in any order. Every value rises at most twice, and the
 * outputs of a node are looked at again only where its level has risen, so the work grows with the
 * number of inputs and outputs.
 */
export const looseValues = (graph: GraphProto): ReadonlySet<string> => {
  const uses = usesIn(graph)
  const initialized = new Set(graph.initializer.map(({ name }) => name))
  const levels = new Map<string, Level>()
  const given = new Map<NodeProto, Level>()
  const ahead = graph.input.map(({ name }) => name).filter((name) => !initialized.has(name))
  for (const name of ahead) levels.set(name, DATA)
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop())
    for (const [risen, index] of uses.get(name) ?? []) {
      note(risen, index, levels.get(name)!)
      const level = levelOf(risen)
      if (level <= (given.get(risen.node) ?? 0)) continue
      given.set(risen.node, level)
      for (const output of risen.node.output)
        if (level > (levels.get(output) ?? 0)) {
          levels.set(output, level)
          ahead.push(output)
        }
    }
  return new Set([...levels].flatMap(([name, level]) => (level === LOOSE ? [name] : [])))
}
