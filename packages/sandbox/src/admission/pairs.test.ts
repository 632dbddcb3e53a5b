/** An interleaved RotaryEmbedding that reads after its input has an undeclared memory between turns. */
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { Heap } from "../worker/testing/testHeap.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { examineFiles } from "./static.ts"
import { integer, leaking, node } from "./testing/hostileExtents.ts"
import { board, floats, ints, manifest, model, trialPlan, weightClasses } from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const OPSET = 23

const STEPS = 40
const heads = (size: number) => {
  const half = Math.max(1, Math.floor(size / 2))
  const halves = (name: string) => floats(name, [1, STEPS, half], Array(STEPS * half).fill(1))
  return [floats("heads", [1, 3, STEPS, size], Array(3 * STEPS * size).fill(1)), halves("cos"), halves("sin")]
}
const turning = (interleaved: number, turned = 0) =>
  node("RotaryEmbedding", ["heads", "cos", "sin"], "turned", [
    integer("interleaved", interleaved),
    ...(turned === 0 ? [] : [integer("rotary_embedding_dim", turned)])
  ])

const said = (weights: Uint8Array): string => {
  const checked = examineFiles({
    ...{ game: "snakes", weights, weight_classes: weightClasses, boards: [board] },
    manifest: manifest({ opset: OPSET })
  })
  if (checked.ok) return "admissible"
  return checked.verdict.verdict === "rejected" ? checked.verdict.reject_detail : checked.verdict.detail
}

/** Looks at the last number that was turned only where the observation holds a number that no position holds. */
const remembering = (size: number, interleaved: number, turned = 0) =>
  leaking(
    [
      turning(interleaved, turned),
      node("Reshape", ["turned", "all"], "list"),
      node("Slice", ["list", "minus_four", "far"], "seen"),
      node("ReduceMax", ["obs", "axes"], "most", [integer("keepdims", 0)]),
      node("Greater", ["most", "never"], "now"),
      node("Where", ["now", "seen", "nought"], "left")
    ],
    [
      ...heads(size),
      ints("all", [-1]),
      ints("minus_four", [-4]),
      ints("far", [2 ** 53]),
      ints("axes", [0, 1, 2, 3]),
      floats("never", [], [1e7])
    ],
    [1, 4],
    OPSET
  )

const REFUSED = /^Operator RotaryEmbedding may be interleaved only where rotary_embedding_dim states an even number/

describe("a RotaryEmbedding", () => {
  it("reads old memory of the runtime where neighbours are turned in pairs and a head has an odd number of them", async () => {
    const heaps = await Promise.all([1, 2].map(async (seed) => Heap.make(await compiledRuntime, seed)))
    const same = (size: number, interleaved: number, turned = 0) => {
      const weights = model(
        { name: "pairs", node: [turning(interleaved, turned)], initializer: heads(size), output: [{ name: "turned" }] },
        OPSET
      )
      const [first, second] = heaps.map((heap) => heap.outputs(weights, ["turned"])?.join())
      assert.isDefined(first)
      return first === second
    }
    assert.isFalse(same(7, 1))
    for (const [size, interleaved, turned] of [
      [7, 0, 0],
      [8, 1, 0],
      [8, 1, 8]
    ] as const)
      assert.isTrue(same(size, interleaved, turned), `${size} ${interleaved} ${turned}`)
  })

  it("is refused where the file does not show that it has an even number, also where the trial would not notice", async () => {
    const verdict = await examineRuns(await compiledRuntime, remembering(7, 1), trialPlan(OPSET))
    assert.strictEqual(verdict.verdict, "admitted", JSON.stringify(verdict))
    assert.match(said(remembering(7, 1)), REFUSED)
    assert.match(said(remembering(7, 1, 7)), REFUSED)
    assert.match(said(remembering(8, 1)), REFUSED)
  })

  it("is taken with an even number, and where it turns halves", () => {
    assert.strictEqual(said(remembering(8, 1, 8)), "admissible")
    assert.strictEqual(said(remembering(7, 0)), "admissible")
  })
})
