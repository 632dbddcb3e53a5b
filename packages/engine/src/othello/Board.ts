/** The file format of an othello board, and its reader (docs/games.md#othello-boards). */
import type { BoardCheck, BoardFile } from "../Engine.ts"
import { Faults, readCells, readInteger, readObject, readSlug, readString } from "../untrusted.ts"

export type Cell = readonly [row: number, col: number]

export interface OthelloBoard extends BoardFile {
  readonly format: "othello-board/1"
  readonly players: 2
  readonly blocked: ReadonlyArray<Cell>
}

const keys = ["format", "map_id", "players", "rows", "cols", "blocked"] as const

export const checkBoard = (file: unknown): BoardCheck<OthelloBoard> => {
  const faults = new Faults()
  if (file === undefined) faults.add("", "must be an object")
  const members = readObject(faults, "", file, keys)
  readString(faults, "format", members?.["format"], /^othello-board\/1$/, '"othello-board/1"')
  const map_id = readSlug(faults, "map_id", members?.["map_id"])
  readInteger(faults, "players", members?.["players"], 2, 2)
  const rows = readSide(faults, "rows", members?.["rows"])
  const cols = readSide(faults, "cols", members?.["cols"])
  const cells = rows === undefined || cols === undefined ? undefined : readCells(faults, "blocked", members?.["blocked"], rows, cols)
  if (rows === undefined || cols === undefined || cells === undefined) return { ok: false, errors: faults.list }
  const middle = middleOf(rows, cols)
  cells.forEach((cell, index) => {
    if (middle.includes(cell)) faults.add(`blocked[${index}]`, "is one of the middle four, where the first discs lie")
  })
  if (faults.list.length > 0) return { ok: false, errors: faults.list }
  const blocked = cells.map((cell): Cell => [Math.floor(cell / cols), cell % cols])
  return { ok: true, board: { format: "othello-board/1", map_id: map_id!, players: 2, rows, cols, blocked } }
}

/** The middle four cells: upper left, upper right, lower left, lower right. */
export const middleOf = (rows: number, cols: number): readonly [number, number, number, number] => {
  const first = (rows / 2 - 1) * cols + cols / 2 - 1
  return [first, first + 1, first + cols, first + cols + 1]
}

const readSide = (faults: Faults, path: string, value: unknown): number | undefined => {
  const side = readInteger(faults, path, value, 4, 16)
  return side !== undefined && side % 2 === 1 ? faults.add(path, `must be even, not ${side}`) : side
}
