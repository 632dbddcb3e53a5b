/** Boards for a first season of othello, drawn as text. */
import { cellsWith, drawnRows } from "../drawing.ts"
import type { OthelloBoard } from "./Board.ts"

export const drawOthello = (map_id: string, drawing: string): OthelloBoard => {
  const rows = drawnRows(drawing)
  return { format: "othello-board/1", map_id, players: 2, rows: rows.length, cols: rows[0]!.length, blocked: cellsWith(rows, "#") }
}

export const othelloBoards: ReadonlyArray<OthelloBoard> = [
  drawOthello("classic-8", "........ ........ ........ ........ ........ ........ ........ ........"),
  drawOthello("small-6", "...... ...... ...... ...... ...... ......"),
  // The corners, which decide most games, are gone, and four holes stop the long lines.
  drawOthello(
    "holes-10",
    `
    #........#
    ..........
    ..#....#..
    ..........
    ..........
    ..........
    ..........
    ..#....#..
    ..........
    #........#
    `
  )
]
