import { assert, it } from "@effect/vitest"
import { CappedMap } from "./CappedMap.ts"

it("drops the entries that were set least recently", () => {
  const map = new CappedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3)
  assert.deepStrictEqual([...map.keys()], ["b", "a"])
  assert.strictEqual(map.get("a"), 3)
  assert.deepStrictEqual([...map.set("c", 4).keys()], ["a", "c"])
})

it("keeps an entry that is read in its place", () => {
  const map = new CappedMap<string, number>(2).set("a", 1).set("b", 2)
  assert.strictEqual(map.get("a"), 1)
  assert.deepStrictEqual([...map.set("c", 3).keys()], ["b", "c"])
})
