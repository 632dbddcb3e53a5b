import type { NodeProto } from "@agon/onnx/Model.ts"
import { quote } from "../Verdict.ts"

const TYPE_MAX_CHARACTERS = 64

/** A node as a refusal names it, at the beginning of a sentence: exporters leave many nodes without a name of their own. */
export const named = ({ name, opType }: Pick<NodeProto, "name" | "opType">): string => {
  const operator = `Operator ${opType === "" ? "without a name" : opType.slice(0, TYPE_MAX_CHARACTERS)}`
  return name === "" ? operator : `${operator} ${quote(name)}`
}
