/**
 * Values whose extents depend on the numbers that a model computes, not only on the board's size: outputs of NonZero and
 * Compress, and tensors of a size computed from an observation. The trial uses a few observations, so it cannot know the
 * extents of such a value in a match.
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

const levelOf = (node: NodeProto, levels: ReadonlyMap<string, Level>): Level => {
  const inputs = node.input.map((name) => levels.get(name) ?? 0)
  const most = Math.max(0, ...inputs)
  if (MEASURING.has(node.opType)) return most === LOOSE ? DATA : 0
  if (isWhole(node)) return Math.min(most, DATA)
  // Writing into a tensor does not change its extents.
  if (node.opType.startsWith("Scatter")) return Math.max(inputs[0] ?? 0, Math.min(most, DATA))
  if (SELECTING.has(node.opType) && most > 0) return LOOSE
  return SIZE_INPUTS[node.opType]?.some((index) => (inputs[index] ?? 0) > 0) ? LOOSE : most
}

const usersOf = (graph: GraphProto): ReadonlyMap<string, ReadonlyArray<NodeProto>> => {
  const users = new Map<string, Array<NodeProto>>()
  for (const node of graph.node)
    for (const name of new Set(node.input)) {
      const known = users.get(name)
      if (known === undefined) users.set(name, [node])
      else known.push(node)
    }
  return users
}

/** The names of all loose values. Nodes may stand in any order; each value rises at most twice, so this is linear. */
export const looseValues = (graph: GraphProto): ReadonlySet<string> => {
  const users = usersOf(graph)
  const initialized = new Set(graph.initializer.map(({ name }) => name))
  const levels = new Map<string, Level>()
  const risen = graph.input.map(({ name }) => name).filter((name) => !initialized.has(name))
  for (const name of risen) levels.set(name, DATA)
  for (let name = risen.pop(); name !== undefined; name = risen.pop())
    for (const node of users.get(name) ?? []) {
      const level = levelOf(node, levels)
      for (const output of node.output)
        if (level > (levels.get(output) ?? 0)) {
          levels.set(output, level)
          risen.push(output)
        }
    }
  return new Set([...levels].flatMap(([name, level]) => (level === LOOSE ? [name] : [])))
}
