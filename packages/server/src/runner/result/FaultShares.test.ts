import { assert, it } from "@effect/vitest"
import { FaultShares } from "./FaultShares.ts"

const over = (faults: ReadonlyArray<boolean>) => {
  const shares = new FaultShares()
  return faults.findIndex((fault) => shares.note("k", fault)) + 1
}

it("a key is over the share once a fifth of its results were faults, and not before ten of them", () => {
  assert.strictEqual(over(Array(20).fill(true)), 10)
  assert.strictEqual(over(Array.from({ length: 200 }, (_, i) => i % 5 === 0)), 11) // three of the first eleven
  assert.strictEqual(over(Array.from({ length: 2_000 }, (_, i) => i % 5 === 4)), 0)
  assert.strictEqual(over([...Array(40).fill(false), ...Array(20).fill(true)]), 49) // old results are forgotten
})

it("keys are counted apart, and afresh once they were over", () => {
  const shares = new FaultShares()
  const said = (key: string, times: number) => Array.from({ length: times }, () => shares.note(key, true)).filter(Boolean).length
  assert.deepStrictEqual([said("a", 9), said("b", 9), said("a", 1), said("a", 9), said("a", 1)], [0, 0, 1, 0, 1])
})
