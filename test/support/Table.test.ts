import { assert, it } from "vitest"
import { Table } from "./Table.ts"

it("a table knows which rows were touched, and a copy of it stays as it was", () => {
  const table = new Table<string, number>()
  table.set("a", 1).set("b", 2)
  const before = table.copy()
  assert.strictEqual(table.copy(), before)
  assert.isFalse(table.delete("c"))
  assert.deepStrictEqual(table.touched, ["a", "b"])
  table.set("a", 3)
  table.delete("b")
  assert.deepStrictEqual(
    [...before],
    [
      ["a", 1],
      ["b", 2]
    ]
  )
  assert.deepStrictEqual([...table.copy()], [["a", 3]])
  table.clear()
  assert.deepStrictEqual(table.touched, ["a", "b", "a", "b", "a"])
  assert.strictEqual(table.copy().size, 0)
})
