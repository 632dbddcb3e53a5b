import { assert, describe, it } from "vitest"
import { engineOf } from "../registry.ts"
import type { Cell, SnakesBoard } from "../snakes/Board.ts"
import { boardsOf, demoBoards, othelloBoards } from "./demoBoards.ts"

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

describe("the demonstration boards", () => {
  for (const game of ["snakes", "othello"]) {
    for (const board of boardsOf(game)) {
      it(`${board.map_id} is accepted by the engine of ${game} and read as it was drawn`, () => {
        assert.deepStrictEqual(engineOf(game)!.checkBoard(JSON.parse(JSON.stringify(board))), { ok: true, board })
      })
    }
  }

  it("seat 2, 2, 3, 4, 4, 5, 6 and 8 players, with and without walls and edges, from 7x7 to 19x19", () => {
    assert.deepStrictEqual(
      demoBoards.map((board) => board.players),
      [2, 2, 3, 4, 4, 5, 6, 8]
    )
    const sides = demoBoards.flatMap((board) => [board.rows, board.cols])
    assert.deepStrictEqual([Math.min(...sides), Math.max(...sides)], [7, 19])
    for (const wrap of [false, true]) {
      assert.isTrue(demoBoards.some((board) => board.wrap === wrap && board.walls.length > 0))
      assert.isTrue(demoBoards.some((board) => board.wrap === wrap && board.walls.length === 0))
    }
  })

  it("give every seat the same start, up to a turn, a mirror or a shift of the board", () => {
    for (const board of demoBoards) {
      const reached = new Set<string>()
      for (const move of symmetries(board)) if (keepsBoard(board, move)) reached.add(String(move(board.spawns[0]!)))
      assert.strictEqual(reached.size, board.players, board.map_id)
    }
  })

  it("have different names", () => {
    const names = [...demoBoards, ...othelloBoards].map((board) => board.map_id)
    assert.strictEqual(new Set(names).size, names.length)
    assert.strictEqual(othelloBoards.length, 3)
  })
})
