/**
 * Boards drawn as text, so that an author sees them. One line per row: `.` open, `#` wall or blocked cell, `*` food, a
 * digit the spawn of that seat counted from 1.
 */
import type { OthelloBoard } from "../othello/Board.ts"
import type { Cell, SnakesBoard } from "../snakes/Board.ts"

export type SnakesSettings = Pick<SnakesBoard, "wrap" | "min_food" | "food_chance" | "max_turns">

export const drawSnakes = (map_id: string, settings: SnakesSettings, picture: string): SnakesBoard => {
  const rows = rowsOf(picture)
  const spawns: Array<Cell> = []
  for (let seat = 1; cellsOf(rows, String(seat)).length > 0; seat++) spawns.push(cellsOf(rows, String(seat))[0]!)
  return {
    format: "snakes-board/1",
    map_id,
    players: spawns.length,
    rows: rows.length,
    cols: rows[0]!.length,
    wrap: settings.wrap,
    walls: cellsOf(rows, "#"),
    spawns,
    food: cellsOf(rows, "*"),
    min_food: settings.min_food,
    food_chance: settings.food_chance,
    max_turns: settings.max_turns
  }
}

export const drawOthello = (map_id: string, picture: string): OthelloBoard => {
  const rows = rowsOf(picture)
  return { format: "othello-board/1", map_id, players: 2, rows: rows.length, cols: rows[0]!.length, blocked: cellsOf(rows, "#") }
}

const rowsOf = (picture: string): ReadonlyArray<string> => picture.trim().split(/\s+/)

const cellsOf = (rows: ReadonlyArray<string>, sign: string): ReadonlyArray<Cell> =>
  rows.flatMap((line, row) => [...line].flatMap((at, col): ReadonlyArray<Cell> => (at === sign ? [[row, col]] : [])))
