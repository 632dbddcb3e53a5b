/**
 * Pad in the mode `wrap` reads before its input where it pads an axis at its beginning by more than the axis
 * is long: old heap content, which a model can use as an undeclared memory between turns. How long an axis is
 * the file need not say, but none that the kernel takes is empty, so a pad of one is safe. The trial cannot
 * tell: a model may look at what it read in a rare position alone.
 */
import type { GraphProto, NodeProto } from "@agon/onnx/Model.ts"
import { type Rejected, reject } from "../Verdict.ts"
import { attributeOf, textOf } from "./attributes.ts"
import { constantsOf } from "./bounds.ts"
import { named } from "./named.ts"

type Numbers = ReadonlyArray<number>

const BEFORE_MAX = 1

const wraps = (node: NodeProto) => node.opType === "Pad" && textOf(node, "mode") === "wrap"

/**
 * The pads, those at the beginnings of the axes first; undefined where the model computes them. Early
 * opsets have them as an attribute.
 */
const padsOf = (node: NodeProto, constants: ReadonlyMap<string, Numbers>): Numbers | undefined =>
  node.input.length > 1 ? constants.get(node.input[1]!) : attributeOf(node, "pads")?.ints.map(Number)

export const checkWrapping = (graph: GraphProto): Rejected | null => {
  const wrapping = graph.node.filter(wraps)
  const constants = wrapping.length === 0 ? new Map<string, Numbers>() : constantsOf(graph)
  for (const node of wrapping) {
    const pads = padsOf(node, constants)
    const safe = pads?.slice(0, Math.ceil(pads.length / 2)).every((before) => before <= BEFORE_MAX) ?? false
    if (!safe)
      return reject(
        "unsupported_operator",
        `${named(node)} may wrap by ${BEFORE_MAX} at most before an axis, by a constant of the file; put a wider one together by Slice and Concat.`
      )
  }
  return null
}
