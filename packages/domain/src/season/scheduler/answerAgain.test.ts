import { assert, describe, it } from "@effect/vitest"
import { answerAgain, type EndedWork } from "./answerAgain.ts"

const match = (change: Partial<Extract<EndedWork, { readonly kind: "match" }>> = {}): EndedWork => ({
  kind: "match",
  lease_n: 2,
  key: "mine",
  released: false,
  ending: "rated",
  fault_reason: null,
  ...change
})
const mine = { n: 2, key: "mine" }
const no = (reason: "lost" | "released" | "withdrawn" | "unknown") => ({ accepted: false, reason }) as const

describe("answerAgain", () => {
  it("accepts what was accepted: a result, of a round that is over as well, and a fault that the runner reported", () => {
    for (const ending of ["rated", "finished"] as const) assert.deepStrictEqual(answerAgain(match({ ending }), mine), { accepted: true })
    for (const fault_reason of ["engine_fault", "weights_unavailable", "replay_mismatch"] as const)
      assert.deepStrictEqual(answerAgain(match({ ending: "failed", fault_reason }), mine), { accepted: true })
  })
  it("tells the last holder what became of the match instead", () => {
    assert.deepStrictEqual(answerAgain(match({ ending: "cancelled" }), mine), no("withdrawn"))
    assert.deepStrictEqual(answerAgain(match({ ending: "failed", fault_reason: "runner_lost" }), mine), no("lost"))
    assert.deepStrictEqual(answerAgain(match({ ending: "cancelled", released: true }), mine), no("released"))
  })
  it("tells anybody that an older lease is lost", () => {
    for (const key of ["mine", "another"]) assert.deepStrictEqual(answerAgain(match(), { n: 1, key }), no("lost"))
  })
  it("knows no lease that was never given, nor the last one of another key", () => {
    assert.deepStrictEqual(answerAgain(match(), { n: 3, key: "mine" }), no("unknown"))
    assert.deepStrictEqual(answerAgain(match(), { n: 2, key: "another" }), no("unknown"))
    assert.deepStrictEqual(answerAgain(match({ lease_n: 0, key: null }), { n: 1, key: "mine" }), no("unknown"))
    assert.deepStrictEqual(answerAgain(undefined, mine), no("unknown"))
  })
  it("accepts a verdict again from the key that gave it", () => {
    const version: EndedWork = { kind: "admission", status: "entered", admit_attempt: 2, admit_key: "mine" }
    assert.deepStrictEqual(answerAgain(version, mine), { accepted: true })
    assert.deepStrictEqual(answerAgain(version, { n: 2, key: "another" }), no("unknown"))
    assert.deepStrictEqual(answerAgain(version, { n: 1, key: "another" }), no("lost"))
    assert.deepStrictEqual(answerAgain(version, { n: 3, key: "mine" }), no("unknown"))
    assert.deepStrictEqual(answerAgain({ ...version, status: "testing", admit_key: null }, mine), no("unknown"))
  })
  it("tells anybody that a review which was cut off is lost, and of one that never was that it is unknown", () => {
    const version: EndedWork = { kind: "admission", status: "rejected", admit_attempt: 2, admit_key: null }
    for (const key of ["mine", "another"]) assert.deepStrictEqual(answerAgain(version, { n: 2, key }), no("lost"))
    assert.deepStrictEqual(answerAgain(version, { n: 3, key: "mine" }), no("unknown"))
    assert.deepStrictEqual(answerAgain({ ...version, admit_attempt: 0 }, { n: 1, key: "mine" }), no("unknown"))
  })
})
