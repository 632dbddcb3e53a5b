/**
 * The trial by itself, with files that the checks before it would have refused. It is the second line of
 * defence: a model that passes those checks, through a new runtime version or a gap in our list of operators,
 * must still give the same bits twice.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import { readManifest } from "../Manifest.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import type { Plan } from "./static.ts"
import { drawing, folding } from "./testing/hostileModels.ts"
import { boardSizes, counting, dividing, linear, manifest, undecided } from "./testing/testModels.ts"
import { examineRuns } from "./trial.ts"

boundedByEvents(vi)

const planOf = (flat: number): Plan => {
  const check = readManifest(manifest({ memory: { flat, cell: 0 } }))
  if (!check.ok) throw new Error("the manifest of the tests is invalid")
  return { param_count: 48, manifest: check.manifest, boards: [{ ...boardSizes, flat }] }
}

const verdictOn = async (weights: Uint8Array, plan = planOf(0)) => {
  const verdict = await examineRuns(await compiledRuntime, weights, plan)
  return verdict.verdict === "rejected" ? `${verdict.reject_reason}: ${verdict.reject_detail}` : verdict.verdict
}

describe("examineRuns", () => {
  it("tells a model that draws unseeded numbers from one that does not", async () => {
    assert.strictEqual(await verdictOn(linear()), "admitted")
    assert.match(await verdictOn(drawing("RandomUniformLike")), /^not_deterministic: Two runs .* different bits/)
  })

  it("does not see seeded draws, which is why the list of operators refuses these too", async () => {
    assert.strictEqual(await verdictOn(drawing("RandomUniformLike", 7)), "admitted")
  })

  it("tells a model that prefers no action on any board from one that does", async () => {
    const runs = async (weights: Uint8Array) => examineRuns(await compiledRuntime, weights, planOf(0))
    assert.deepInclude(await runs(undecided()), { verdict: "admitted", undecided: true })
    assert.notProperty(await runs(linear()), "undecided")
  })

  it("says which output is not finite, also where only the memory is, after some turns", async () => {
    assert.match(await verdictOn(dividing()), /^not_deterministic: A run on a board of \d+ x \d+ gave NaN in logits; /)
    assert.match(await verdictOn(counting(2e38), planOf(1)), /^not_deterministic: A run .* gave Infinity in memory_flat_out; /)
    assert.strictEqual(await verdictOn(counting(), planOf(1)), "admitted")
  })

  it("refuses a small model that computes for seconds while it loads, which every match would pay again", async () => {
    const said = await verdictOn(folding(1_000))
    assert.match(said, /^resource_limit: Loading the model takes more than 3\.025 s of processor time; /)
    assert.strictEqual(await verdictOn(folding(1)), "admitted")
  })
})
