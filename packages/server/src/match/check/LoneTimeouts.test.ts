import { assert, describe, it } from "@effect/vitest"
import { CLEAN_MIN, LONE_MAX, LoneTimeouts } from "./LoneTimeouts.ts"

const played = (key: string, n: number, late = false) => ({
  key,
  match: `${key} ${n}`,
  seats: [
    { model: "a", late },
    { model: "b", late: false }
  ]
})
const after = (...clean: ReadonlyArray<readonly [key: string, matches: number, late?: boolean]>) => {
  const timeouts = new LoneTimeouts()
  for (const [key, matches, late] of clean) for (let n = 0; n < matches; n++) timeouts.note(played(key, n, late))
  const told: Array<ReadonlyArray<string>> = []
  return (key: string, matches: number) => {
    for (let n = 0; n < matches; n++) told.push(...[timeouts.note(played(key, n, true)) ?? []].filter((each) => each.length > 0))
    return told
  }
}

describe("timeouts that one key alone reports", () => {
  it("are told of once there are too many, and again after as many more", () => {
    const late = after(["honest", CLEAN_MIN])
    assert.deepStrictEqual(late("liar", LONE_MAX - 1), [])
    const first = Array.from({ length: LONE_MAX - 1 }, (_, n) => `liar ${n}`)
    assert.deepStrictEqual(late("liar", 1), [[...first, "liar 0"]])
    assert.strictEqual(late("liar", LONE_MAX).length, 2)
  })

  it("are nothing against a key while no other has played the model often, or where every other has seen it late", () => {
    assert.deepStrictEqual(after(["honest", CLEAN_MIN - 1])("liar", 50), [])
    assert.deepStrictEqual(after()("alone", 50), [])
    assert.deepStrictEqual(after(["honest", CLEAN_MIN], ["honest", 1, true])("other", 50), [])
  })

  it("are found though a second key reports them too, as long as a third never has", () => {
    assert.strictEqual(after(["honest", CLEAN_MIN], ["accomplice", CLEAN_MIN, true])("liar", LONE_MAX).length, 1)
  })

  it("count less the longer ago they were", () => {
    const timeouts = new LoneTimeouts()
    for (let n = 0; n < CLEAN_MIN; n++) timeouts.note(played("honest", n))
    for (let n = 0; n < 20_000; n++) assert.isUndefined(timeouts.note(played("machine", n, n % 500 === 0)))
  })
})
