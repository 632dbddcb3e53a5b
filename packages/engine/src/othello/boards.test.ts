import { assert, it } from "vitest"
import { othelloBoards } from "./boards.ts"

it("the boards of othello have the sides that their names say, and holes only where they are called so", () => {
  assert.deepStrictEqual(
    othelloBoards.map(({ map_id, rows, cols }) => [map_id, rows, cols]),
    [
      ["classic-8", 8, 8],
      ["small-6", 6, 6],
      ["holes-10", 10, 10]
    ]
  )
  for (const { map_id, blocked } of othelloBoards) assert.strictEqual(blocked.length, map_id === "holes-10" ? 8 : 0, map_id)
})
