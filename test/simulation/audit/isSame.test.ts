import { assert, it } from "@effect/vitest"
import { isSame } from "./isSame.ts"

it("rows are the same whatever the order of their fields, a field that is undefined being none", () => {
  assert.isTrue(isSame({ a: 1, b: [{ c: null }], d: undefined }, { b: [{ c: null }], a: 1 }))
  assert.isTrue(isSame([], []))
  const different: ReadonlyArray<readonly [unknown, unknown]> = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: 1, b: null }, { a: 1 }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [[], {}],
    [{}, null],
    [undefined, {}],
    [{ a: { b: [0] } }, { a: { b: [1] } }]
  ]
  for (const [a, b] of different) assert.isFalse(isSame(a, b), JSON.stringify([a, b]))
})
