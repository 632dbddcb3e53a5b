/**
 * Translates the runtime's messages about a graph into our own sentences. Its messages hold names of its
 * source files and of nodes, and mean little to a competitor. They are recognised by kind, and each kind has
 * a sentence that says what to fix.
 */
import { allowedOperators } from "./operators.ts"

const operatorIn = (found: RegExpExecArray): string => (allowedOperators.has(found[1] ?? "") ? `operator ${found[1]}` : "an operator")

const LOADING: ReadonlyArray<readonly [RegExp, (found: RegExpExecArray) => string]> = [
  [
    /could not find an implementation for (\w+)/i,
    (found) =>
      `The runtime has no kernel for ${operatorIn(found)} with these element types in this opset; use float32 there or another opset`
  ],
  [
    /no (?:op|schema) registered for (\w+)|^.*?(\w+)\([-\d]+\) is not a registered/i,
    (found) => `There is no ${operatorIn(found).replace(/^an /, "such ")} in this opset; export with the opset that has it`
  ],
  [
    /is not a graph input, initializer, or output/i,
    () => "A node takes a value that nothing in the graph produces; run onnx.checker.check_model on the file"
  ],
  [/acyclic|cycle/i, () => "The nodes of the graph depend on each other in a cycle; export the graph again"],
  [
    /same node name|duplicate|already been|must be (?:in )?single static assignment/i,
    () => "Two nodes or values of the graph have the same name; give each its own"
  ],
  [
    /type error|type '|type parameter|data type/i,
    () => "The element types of a node's inputs do not fit together; put a Cast between them"
  ],
  [
    /shape ?inference|inferred shape|incompatible dimensions|dimension|mismatch|rank/i,
    () => "The shapes of a node's inputs do not fit together; run onnx.shape_inference with strict_mode on the file"
  ],
  [/attribute/i, () => "An attribute of a node is missing or has a value that its operator does not take"],
  [/ir[_ ]version/i, () => "The file's IR version is newer than the runtime; save it with an older version of onnx"],
  [/input size|output size|number of (?:inputs|outputs)/i, () => "A node has more or fewer inputs than its operator takes"]
]

export const whyNotLoaded = (detail: string): string => {
  for (const [pattern, sentence] of LOADING) {
    const found = pattern.exec(detail)
    if (found !== null) return sentence(found)
  }
  return "Run onnx.checker.check_model with full_check on the file and fix the errors it reports"
}

const OPERATOR = /non-zero status code returned while running (\w+) node/i

/** The kind of the failed node, if the runtime names an operator of our list. */
export const whyNotRun = (detail: string): string => {
  const found = OPERATOR.exec(detail)
  const who = found !== null && allowedOperators.has(found[1]!) ? `a node ${found[1]}` : "a node"
  return `${who} does not accept the shapes or values that it gets; look for sizes that were fixed at export`
}
