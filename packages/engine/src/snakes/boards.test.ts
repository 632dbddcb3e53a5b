import { assert, describe, it } from "vitest"
import type { Cell, SnakesBoard } from "./Board.ts"
import { snakesBoards } from "./boards.ts"

/** Turns, mirrors and, where the board wraps, shifts of a board onto itself. */
const symmetries = function* (board: SnakesBoard): Generator<(cell: Cell) => Cell> {
  const { rows, cols, wrap } = board
  for (let down = 0; down < (wrap ? rows : 1); down++) {
    for (let right = 0; right < (wrap ? cols : 1); right++) {
      for (let way = 0; way < (rows === cols ? 8 : 4); way++) {
        yield ([row, col]) => {
          const [a, b] = (way & 4) === 0 ? [row, col] : [col, row]
          const flipped: Cell = [(way & 1) === 0 ? a : rows - 1 - a, (way & 2) === 0 ? b : cols - 1 - b]
          return [(flipped[0] + down) % rows, (flipped[1] + right) % cols]
        }
      }
    }
  }
}

const keepsBoard = (board: SnakesBoard, move: (cell: Cell) => Cell): boolean =>
  [board.walls, board.food, board.spawns].every((cells) => {
    const there = new Set(cells.map(String))
    return cells.every((cell) => there.has(String(move(cell))))
  })

describe("the boards of snakes", () => {
  it("seat 2, 2, 3, 4, 4, 5, 6 and 8 players, with and without walls and edges, from 7x7 to 19x19", () => {
    assert.deepStrictEqual(
      snakesBoards.map((board) => board.players),
      [2, 2, 3, 4, 4, 5, 6, 8]
    )
    const sides = snakesBoards.flatMap((board) => [board.rows, board.cols])
    assert.deepStrictEqual([Math.min(...sides), Math.max(...sides)], [7, 19])
    for (const wrap of [false, true]) {
      assert.isTrue(snakesBoards.some((board) => board.wrap === wrap && board.walls.length > 0))
      assert.isTrue(snakesBoards.some((board) => board.wrap === wrap && board.walls.length === 0))
    }
  })

  it("give every seat the same start, up to a turn, a mirror or a shift of the board", () => {
    for (const board of snakesBoards) {
      const reached = new Set<string>()
      for (const move of symmetries(board)) if (keepsBoard(board, move)) reached.add(String(move(board.spawns[0]!)))
      assert.strictEqual(reached.size, board.players, board.map_id)
    }
  })
})
