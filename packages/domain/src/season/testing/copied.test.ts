import { assert, it } from "vitest"
import { copied } from "./copied.ts"

it("a copy of rows is equal and shares nothing with them that could change", () => {
  const row = {
    id: "a",
    none: null,
    absent: undefined,
    list: [{ n: 1 }, [2]],
    within: { seen: new Map([["b", { n: 3 }]]), at: new Uint8Array([4]) }
  }
  const copy = copied(row)
  assert.deepStrictEqual(copy, row)
  row.within.seen.get("b")!.n = 5
  row.within.at[0] = 6
  Object.assign(row.list[0]!, { n: 7 })
  assert.deepStrictEqual(copy.list, [{ n: 1 }, [2]])
  assert.deepStrictEqual(copy.within, { seen: new Map([["b", { n: 3 }]]), at: new Uint8Array([4]) })
})
