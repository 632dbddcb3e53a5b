/**
 * RotaryEmbedding with `interleaved` turns pairs of neighbours. Where a head has an odd number of them
 * it reads the one after the last: old heap content at the end of the tensor, which a model can use as
 * an undeclared memory between turns. The kernel compares the number with half of itself, rounded down,
 * so the file has to state it, as an even number. The trial cannot tell: a model may look at what was
 * read in a rare position alone.
 */
import type { GraphProto, NodeProto } from "@agon/onnx/Model.ts"
import { type Rejected, reject } from "../Verdict.ts"
import { attributeOf } from "./attributes.ts"
import { named } from "./named.ts"

const numberOf = (node: NodeProto, name: string): bigint => attributeOf(node, name)?.i ?? 0n

export const checkPairs = (graph: GraphProto): Rejected | null => {
  for (const node of graph.node) {
    if (node.opType !== "RotaryEmbedding" || numberOf(node, "interleaved") === 0n) continue
    const turned = numberOf(node, "rotary_embedding_dim")
    if (turned < 2n || turned % 2n !== 0n)
      return reject(
        "unsupported_operator",
        `${named(node)} may be interleaved only where rotary_embedding_dim states an even number; state how many numbers of a head are turned.`
      )
  }
  return null
}
