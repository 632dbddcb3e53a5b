import { assert, describe, it } from "vitest"
import { observe } from "./observe.ts"
import { step } from "./step.ts"
import { type Arrangement, arranged } from "./testing/arranged.ts"

const side = 5

/** The planes of a seat on a 5x5 board, into a buffer full of another turn's numbers. */
const planesOf = (to: Arrangement, seat: number) => {
  const out = new Float32Array(12 * side * side).fill(-3)
  observe(arranged(to), seat, out)
  return Array.from({ length: 12 }, (_, plane) => out.subarray(plane * side * side, (plane + 1) * side * side))
}

/** The cells of a plane that are not 0, as `row,col: value`, values of bodies in turns. */
const marked = (plane: Float32Array, scale = 1): ReadonlyArray<string> =>
  Array.from(plane).flatMap((value, cell) => (value === 0 ? [] : [`${Math.floor(cell / side)},${cell % side}: ${value * scale}`]))

const constant = (plane: Float32Array): number => {
  assert.strictEqual(new Set(plane).size, 1)
  return plane[0]!
}

const position: Arrangement = {
  picture: "1...# ..... ..*.. ..... 3...2",
  bodies: ["11 10 00 00", "33 34 44", "21 31 30 40 41"],
  health: [73, 12, 100]
}

describe("a seat's observation", () => {
  it("separates its own head and body from the others'", () => {
    const planes = planesOf(position, 0)
    assert.deepStrictEqual(marked(planes[0]!), ["1,1: 1"])
    assert.deepStrictEqual(marked(planes[2]!), ["2,1: 1", "3,3: 1"])
  })

  it("shows for each body cell, the head included, the turns until it is free, counting stacked segments", () => {
    const planes = planesOf(position, 0)
    assert.deepStrictEqual(marked(planes[1]!, 64), ["0,0: 2", "1,0: 3", "1,1: 4"])
    const others = ["2,1: 5", "3,0: 3", "3,1: 4", "3,3: 3", "3,4: 2", "4,0: 2", "4,1: 1", "4,4: 1"]
    assert.deepStrictEqual(marked(planes[4]!, 64), others)
  })

  it("marks the heads of rivals as long or longer", () => {
    assert.deepStrictEqual(marked(planesOf(position, 0)[3]!), ["2,1: 1"])
    assert.deepStrictEqual(marked(planesOf(position, 1)[3]!), ["1,1: 1", "2,1: 1"])
    assert.deepStrictEqual(marked(planesOf(position, 2)[3]!), [])
    assert.deepStrictEqual(marked(planesOf({ picture: "1.... ..... ..... ..... ....2" }, 0)[3]!), ["4,4: 1"])
  })

  it("shows food, walls and the seat's own health / 100", () => {
    const planes = planesOf(position, 0)
    assert.deepStrictEqual(marked(planes[5]!), ["2,2: 1"])
    assert.deepStrictEqual(marked(planes[6]!), ["0,4: 1"])
    assert.strictEqual(constant(planes[7]!), Math.fround(0.73))
    assert.strictEqual(constant(planesOf(position, 1)[7]!), Math.fround(0.12))
  })

  it("shows for each move whether it meets a wall, an edge or a segment that is still there next turn", () => {
    const moves = (to: Arrangement, seat: number) => planesOf(to, seat).slice(8).map(constant)
    assert.deepStrictEqual(moves(position, 0), [1, 1, 0, 0], "head below, own body on the left")
    assert.deepStrictEqual(moves(position, 1), [1, 0, 1, 1], "own body on the right")
    assert.deepStrictEqual(moves(position, 2), [0, 1, 0, 1])
    const corner: Arrangement = { picture: "1#... ..... ..... ..... ....2" }
    assert.deepStrictEqual(moves(corner, 0), [0, 0, 1, 0], "edges and a wall")
    assert.deepStrictEqual(moves({ ...corner, wrap: true }, 0), [1, 0, 1, 1])
    assert.deepStrictEqual(
      moves({ picture: corner.picture.replace("....2", "2...."), wrap: true }, 0),
      [0, 0, 1, 1],
      "a rival over the edge"
    )
  })

  it("counts food as open, and a tail that drops next turn, but not one that is stacked", () => {
    const chase = (tail: string): Arrangement => ({ picture: "1.... ..... ..... ..... ....2", bodies: ["22 21 20", `44 43 ${tail}`] })
    const down = (to: Arrangement) => planesOf(to, 0)[10]!
    assert.strictEqual(constant(down(chase("42 32"))), 1)
    assert.strictEqual(constant(down(chase("42 32 32"))), 0)
    assert.strictEqual(constant(planesOf({ picture: "1*... ..... ..... ..... ....2" }, 0)[9]!), 1)
  })

  it("shows the stacked body under the head at the start", () => {
    const planes = planesOf({ picture: "1.... ..... ..... ..... ....2" }, 0)
    assert.deepStrictEqual(marked(planes[1]!, 64), ["0,0: 3"])
  })

  it("leaves out seats that are out, and the seat's own planes when it is out itself", () => {
    const state = arranged({ ...position, strike_limit: 1 })
    step(state, [1, "crash", 3], undefined)
    const out = new Float32Array(12 * 25).fill(-3)
    observe(state, 1, out)
    assert.deepStrictEqual(marked(out.subarray(0, 50)), [])
    assert.deepStrictEqual(marked(out.subarray(50, 75)), ["1,2: 1", "2,0: 1"])
    assert.deepStrictEqual(Array.from(out.subarray(200)), new Array(100).fill(0))
  })
})
