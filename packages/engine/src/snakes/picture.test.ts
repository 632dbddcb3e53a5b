import { assert, describe, it } from "vitest"
import { picture } from "./picture.ts"

describe("the picture of snakes", () => {
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
