import { assert, it } from "@effect/vitest"
import { TakenReplays } from "./TakenReplays.ts"

const match = "01a20a99-c476-7d03-9ad3-6f0300000001"

it("remembers the replays of a match that had several, by whatever lease", () => {
  const taken = new TakenReplays()
  assert.isTrue(taken.take(`${match}.1`, "a") && taken.take(`${match}.1`, "a"))
  assert.deepStrictEqual(taken.several(), [])
  assert.isTrue(taken.take(`${match}.2`, "b"))
  assert.deepStrictEqual(taken.several(), [
    { match, hash: "a" },
    { match, hash: "b" }
  ])
  taken.forget({ match, hash: "b" })
  assert.deepStrictEqual(taken.several(), [{ match, hash: "a" }])
})

it("refuses the many replays of one lease, and not those of the next", () => {
  const taken = new TakenReplays()
  const bring = (lease: number, many: number) => Array.from({ length: many }, (_, i) => taken.take(`${match}.${lease}`, `${lease} ${i}`))
  assert.deepStrictEqual(
    bring(1, 20),
    Array.from({ length: 20 }, (_, i) => i < 16)
  )
  assert.isTrue(taken.take(`${match}.1`, "1 3"), "the repeat of one of them")
  assert.isTrue(bring(2, 10).every((one) => one))
})
