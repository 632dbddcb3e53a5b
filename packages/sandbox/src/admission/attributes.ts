/** Attributes of a node by their names. */
import type { AttributeProto, NodeProto } from "@agon/onnx/Model.ts"

export const attributeOf = ({ attribute }: NodeProto, name: string): AttributeProto | undefined =>
  attribute.find((one) => one.name === name)

export const textOf = (node: NodeProto, name: string): string | undefined => {
  const found = attributeOf(node, name)
  return found === undefined ? undefined : Buffer.from(found.s).toString()
}
