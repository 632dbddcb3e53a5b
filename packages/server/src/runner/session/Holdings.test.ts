import { assert, it } from "@effect/vitest"
import { Holdings } from "./Holdings.ts"

const holding = (lease: string, runner: string) => ({
  lease,
  runner,
  key: "k",
  season: "s",
  seats: 2,
  max_turns: 500,
  strike_limit: 3,
  is_finals: false
})

it("what silent runners held is forgotten with them, and what was read of a runner that nobody has heard of", () => {
  const holdings = new Holdings()
  holdings.know("here", [holding("a.1", "here")])
  holdings.know("silent", [holding("b.1", "silent")])
  holdings.add(holding("c.1", "silent"))
  holdings.add(holding("d.1", "unheard"))
  holdings.keepOnly((runner) => runner === "here")
  assert.deepStrictEqual(
    ["a.1", "b.1", "c.1", "d.1"].map((lease) => holdings.get(lease)?.runner),
    ["here", undefined, undefined, undefined]
  )
  assert.deepStrictEqual([holdings.knows("here"), holdings.knows("silent")], [true, false])
  assert.deepStrictEqual(holdings.of("silent"), [])
})

it("it tells whether all leases that were read of a runner were known: any other was given by another node", () => {
  const holdings = new Holdings()
  assert.isTrue(holdings.know("r", []))
  holdings.add(holding("a.1", "r"))
  assert.isTrue(holdings.know("r", [holding("a.1", "r")]))
  assert.isFalse(holdings.know("r", [holding("a.1", "r"), holding("b.1", "r")]))
  assert.isTrue(holdings.know("r", [holding("b.1", "r")]))
})

it("a runner that is read anew holds what was read and nothing else", () => {
  const holdings = new Holdings()
  holdings.know("r", [holding("a.1", "r"), holding("b.1", "r")])
  holdings.know("r", [holding("b.1", "r"), holding("c.1", "r")])
  assert.deepStrictEqual(
    holdings.of("r").map(({ lease }) => lease),
    ["b.1", "c.1"]
  )
  assert.isUndefined(holdings.get("a.1"))
})

it("work that was handed out again is held by its last lease alone", () => {
  const holdings = new Holdings()
  const work = "0190000a-0000-7000-8000-000000000001"
  holdings.know("r", [holding(`${work}.1`, "r")])
  holdings.know("q", [holding(`${work}.2`, "q")])
  assert.isUndefined(holdings.get(`${work}.1`))
  assert.deepStrictEqual(holdings.of("r"), [])
  holdings.drop(`${work}.1`)
  assert.strictEqual(holdings.get(`${work}.2`)?.runner, "q")
})
