import { boardsOf } from "@agon/engine/boards/demoBoards.ts"
import { engines } from "@agon/engine/registry.ts"
import { assert, describe, it } from "@effect/vitest"
import { picture } from "./picture.ts"

const rules = { max_turns: 500, strike_limit: 3 }

describe("picture", () => {
  it("draws the board of every game: one line per row and one per seat", () => {
    for (const engine of engines)
      for (const board of boardsOf(engine.slug)) {
        const names = Array.from({ length: board.players }, (_, seat) => `model-${seat}`)
        const lines = picture(engine.view(engine.init(board, 1, rules)), names).split("\n")
        assert.strictEqual(lines.length, 1 + board.rows + board.players, board.map_id)
        assert.isTrue(
          lines.slice(1, 1 + board.rows).every((line) => line.length === 2 * board.cols - 1),
          board.map_id
        )
        for (const name of names) assert.include(lines.slice(1 + board.rows).join("\n"), name)
      }
  })

  it("shows heads, bodies, food and walls of snakes where they are", () => {
    const view = {
      format: "snakes-view/1",
      rows: 2,
      cols: 3,
      wrap: false,
      turn: 4,
      reason: null,
      walls: [5],
      food: [3],
      seats: [
        { body: [0, 1, 2, 2], dir: 3, health: 90, length: 4, out: null, strikes: 1 },
        { body: [], dir: 1, health: 80, length: 3, out: "wall", strikes: 0 }
      ]
    }
    assert.strictEqual(
      picture(view, ["left", "right"]),
      "turn 4\nA a a\n* . #\nA left  length 4  health 90  strikes 1\nB right  length 3  health 80  out: wall"
    )
  })
})
