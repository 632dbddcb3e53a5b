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
  for (const [key, matches, late] of clean) for (let n = 0; n < matches; n++) timeouts.note(played(key, late === true ? -1 - n : n, late))
  const told: Array<ReadonlyArray<string>> = []
  let next = 1_000
  return (key: string, matches: number) => {
    for (let n = next; n < next + matches; n++) told.push(...[timeouts.note(played(key, n, true)) ?? []].filter((each) => each.length > 0))
    next += matches
    return told
  }
}

describe("timeouts that one key alone reports", () => {
  it("are told of once there are too many, and again after as many more", () => {
    const late = after(["honest", CLEAN_MIN])
    assert.deepStrictEqual(late("liar", LONE_MAX - 1), [])
    const first = Array.from({ length: LONE_MAX }, (_, n) => `liar ${1_000 + n}`)
    assert.deepStrictEqual(late("liar", 1), [first])
    assert.strictEqual(late("liar", LONE_MAX).length, 2)
  })

  it("of a match that is checked again count once, and so does a match in time", () => {
    const timeouts = new LoneTimeouts()
    for (let n = 0; n < CLEAN_MIN; n++) for (let again = 0; again < 2; again++) timeouts.note(played("honest", n % (CLEAN_MIN - 1)))
    for (let n = 0; n < LONE_MAX; n++) assert.isUndefined(timeouts.note(played("liar", n, true)), "the other has not played it often")
    timeouts.note(played("honest", CLEAN_MIN))
    for (let n = 0; n < LONE_MAX * 2; n++) assert.isUndefined(timeouts.note(played("liar", 100 + (n % (LONE_MAX - 1)), true)))
    assert.lengthOf(timeouts.note(played("liar", 200, true)) ?? [], LONE_MAX)
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
