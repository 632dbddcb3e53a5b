import { DataType } from "@agon/onnx/DataType.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { failing, floats, linear, misshapen, type Node, trialPlan } from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const verdictOn = async (weights: Uint8Array) => {
  const heard: Array<string> = []
  const verdict = await examineRuns(await compiledRuntime, weights, trialPlan(), (said) => heard.push(said))
  assert.strictEqual(verdict.verdict, "rejected")
  return { detail: verdict.verdict === "rejected" ? verdict.reject_detail : "", heard }
}
const node = (opType: string, input: ReadonlyArray<string>, over: Partial<Node> = {}): Node =>
  ({ opType, name: "my_secret_node", input: [...input], output: ["x"], ...over }) as Node

const double = { ...floats("d", [], []), dims: [1n], dataType: DataType.DOUBLE, rawData: new Uint8Array(8) }
const cases: ReadonlyArray<readonly [what: string, weights: Uint8Array, sentence: RegExp]> = [
  ["a value that nothing produces", linear(1, [node("Relu", ["nowhere"])], [], "x"), /takes a value that nothing in the graph produces/],
  ["element types that do not fit", linear(1, [node("Add", ["obs", "d"])], [double], "x"), /element types .* put a Cast between/],
  ["shapes that do not fit", linear(1, [node("Add", ["obs", "w"])], [floats("w", [5, 5, 5], Array(125).fill(1))], "x"), /shape/],
  ["an operator that is not in the opset", linear(1, [node("Mish", ["obs"])], [], "x"), /opset/],
  ["a cycle", linear(1, [node("Add", ["obs", "y"]), node("Relu", ["x"], { name: "another", output: ["y"] })], [], "y"), /cycle/],
  ["a name that is taken", linear(1, [node("Relu", ["obs"]), node("Abs", ["obs"], { output: ["z"] })], [], "x"), /same name/],
  ["a run that fails", failing(), /^A run on a board of 11 x 11 failed: a node MatMul does not accept the shapes/],
  ["a shape that is not the game's", misshapen(), /^In a run on a board of 11 x 11 output logits has another shape/]
]

describe("a refusal by the runtime", () => {
  for (const [what, weights, sentence] of cases)
    it(`for ${what} is a sentence of ours that says what to fix, and quotes nothing`, async () => {
      const { detail, heard } = await verdictOn(weights)
      assert.match(detail, sentence)
      assert.match(detail, /^[A-Z].*\.$/)
      assert.notMatch(detail, /my_secret_node|::|\.cc|\.h:|onnxruntime|status|\[ONNX|ERROR|Exception/)
      // The runtime's own message is kept for the operator.
      for (const said of heard) assert.notInclude(detail, said)
      assert.strictEqual(heard.length, what.startsWith("a shape") ? 0 : 1)
    })
})
