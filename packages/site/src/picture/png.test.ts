import { othelloBoards } from "@agon/engine/othello/boards.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, describe, it } from "vitest"
import { boardPng, PNG_SIDE_MAX, positionPng } from "./boardPng.ts"
import { readPosition, type SnakesPosition } from "./Position.ts"
import { SEAT_COLOURS } from "./styles.ts"
import { decodePng } from "./testing/decodePng.ts"
import { positions } from "./testing/randomMatch.ts"

const boards = [...snakesBoards, ...othelloBoards]
const lastOf = (board: (typeof boards)[number], seed: number) => positions(board, seed).at(-1)

/** A snakes view with these bodies, on a ground of its own. */
const viewOf = (rows: number, cols: number, bodies: ReadonlyArray<ReadonlyArray<number>>, more: object = {}) => ({
  ...{ format: "snakes-view/1", rows, cols, turn: 3, walls: [], food: [] },
  ...{ seats: bodies.map((body) => ({ body, health: 100, length: body.length, out: null })) },
  ...more
})

/** The colour of the middle of a cell, moved by fractions of a cell. */
const colourAt = (png: Uint8Array, cols: number, cell: number, right = 0, down = 0) => {
  const { colour, width } = decodePng(png)
  const side = width / cols
  return colour(Math.floor(((cell % cols) + 0.5 + right) * side), Math.floor((Math.floor(cell / cols) + 0.5 + down) * side))
}

describe("pictures as PNG", () => {
  it("show every board and the last position of matches, each cell in as many pixels", () => {
    for (const [seed, board] of boards.entries()) {
      for (const png of [boardPng(board), positionPng(lastOf(board, seed))]) {
        const { height, width } = decodePng(png!)
        assert.isAtMost(Math.max(width, height), PNG_SIDE_MAX)
        assert.isAtLeast(Math.max(width, height), 0.9 * PNG_SIDE_MAX - 25)
        assert.strictEqual(width * board.rows, height * board.cols)
      }
    }
  })

  it("show bodies in the colours of their seats, and what is drawn between two cells and over an edge", () => {
    const png = positionPng(
      viewOf(5, 5, [
        [6, 7, 12],
        [10, 14]
      ])
    )!
    const [first, second] = [SEAT_COLOURS[0]![0], SEAT_COLOURS[1]![0]]
    for (const cell of [7, 12]) assert.strictEqual(colourAt(png, 5, cell), first, `cell ${cell}`)
    assert.strictEqual(colourAt(png, 5, 6, -0.25, 0), first, "a head")
    assert.strictEqual(colourAt(png, 5, 6, 0.5), first, "between two cells")
    assert.strictEqual(colourAt(png, 5, 10, -0.45), second, "out on the left")
    assert.strictEqual(colourAt(png, 5, 14, 0.45), second, "and in on the right")
    assert.notStrictEqual(colourAt(png, 5, 12, 0.45), second)
    assert.strictEqual(colourAt(png, 5, 24), colourAt(png, 5, 20), "the ground")
  })

  it("show walls and food, and the discs of either side", () => {
    const snakes = positionPng(viewOf(4, 4, [[0, 1]], { walls: [5], food: [10] }))!
    const middles = [0, 5, 10, 15].map((cell) => colourAt(snakes, 4, cell, -0.2, 0.05))
    assert.lengthOf(new Set(middles), 4, String(middles))
    const cells = `01${".".repeat(14)}`
    const view = { format: "othello-view/1", rows: 4, cols: 4, turn: 2, cells, to_act: null, seats: [{ out: null }, { out: null }] }
    const othello = positionPng(view)!
    assert.lengthOf(new Set([0, 1, 2].map((cell) => colourAt(othello, 4, cell))), 3)
  })

  it("tell eight seats apart by the number on each head, too", () => {
    const png = positionPng(
      viewOf(
        8,
        8,
        Array.from({ length: 8 }, (_, seat) => [9 * seat])
      )
    )!
    const { colour, width } = decodePng(png)
    const side = width / 8
    const signs = Array.from({ length: 8 }, (_, seat) => {
      const ground = SEAT_COLOURS[seat]![0]
      let sign = ""
      for (let y = -4; y <= 4; y++)
        for (let x = -4; x <= 4; x++)
          sign += colour(Math.floor((seat + 0.5 + x / 16) * side), Math.floor((seat + 0.5 + y / 16) * side)) === ground ? "." : "#"
      return sign
    })
    assert.lengthOf(new Set(signs), 8)
  })

  it("are the same bytes of the same position, and none of what is no position", () => {
    const view = lastOf(boards[0]!, 5)
    assert.isTrue(positionPng(view)!.equals(positionPng(view)!))
    const huge = viewOf(30, 30, [[0]])
    for (const other of [undefined, null, 5, "x", {}, huge, viewOf(5, 5, [[99]]), viewOf(5, 5, [[-1]])])
      assert.isUndefined(positionPng(other))
    for (const other of [undefined, {}, { format: "snakes-board/1" }, { ...boards[0]!, rows: 900 }]) assert.isUndefined(boardPng(other))
  })

  it("are small and quickly made, the fullest board as well", () => {
    const cells = 625
    const bodies = Array.from({ length: 8 }, (_, seat) => Array.from({ length: 78 }, (_, i) => (seat * 78 + i * 7) % cells))
    const full = viewOf(25, 25, bodies, {
      walls: Array.from({ length: cells }, (_, i) => i),
      food: Array.from({ length: cells }, (_, i) => i)
    })
    assert.isDefined(readPosition(full) as SnakesPosition | undefined)
    for (const view of [full, ...boards.map(lastOf)]) {
      const png = positionPng(view)!
      assert.isBelow(png.length, 40_000)
      const taken_ms = Array.from({ length: 5 }, () => {
        const before = process.threadCpuUsage()
        positionPng(view)
        const { system, user } = process.threadCpuUsage(before)
        return (system + user) / 1000
      })
      assert.isBelow(Math.min(...taken_ms), 30, "milliseconds of CPU, four times what the fullest board takes")
    }
  })
})
