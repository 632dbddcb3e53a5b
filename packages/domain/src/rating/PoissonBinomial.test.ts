import { assert, it } from "@effect/vitest"
import { addEvent } from "./PoissonBinomial.ts"

it("has the chance of every number of events, as all combinations of three have it", () => {
  const chances = [0.1, 0.5, 0.8]
  const expected = [0, 0, 0, 0]
  for (let which = 0; which < 8; which++) {
    const happens = chances.map((p, i) => ((which >> i) & 1 ? p : 1 - p))
    expected[[0, 1, 2].filter((i) => (which >> i) & 1).length]! += happens.reduce((a, b) => a * b)
  }
  const shares = Float64Array.of(1, 0, 0, 0)
  for (const [events, p] of chances.entries()) addEvent(shares, events, p)
  for (const [k, each] of expected.entries()) assert.closeTo(shares[k]!, each, 1e-12)
})
