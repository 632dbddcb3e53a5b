/**
 * Boards and positions as text. A board is drawn one line per row: `.` open, `#` wall or blocked cell, `*` food, a digit the spawn of
 * that seat counted from 1.
 */

/** The rows of a drawn board, whatever white space parts them. */
export const drawnRows = (drawing: string): ReadonlyArray<string> => drawing.trim().split(/\s+/)

/** The cells with a sign, as row and column. */
export const cellsWith = (rows: ReadonlyArray<string>, sign: string): ReadonlyArray<readonly [row: number, col: number]> =>
  rows.flatMap((line, row) => [...line].flatMap((at, col): ReadonlyArray<readonly [number, number]> => (at === sign ? [[row, col]] : [])))

interface Turn {
  readonly turn: number
  readonly reason: string | null
}
interface Seat {
  readonly out: string | null
  readonly strikes: number
}

/** A position: its headline, the signs of the cells row by row, and a line per seat. */
export const drawPosition = ({ turn, reason }: Turn, cells: ReadonlyArray<string>, cols: number, seats: ReadonlyArray<string>): string => {
  const rows = Array.from({ length: cells.length / cols }, (_, row) => cells.slice(row * cols, (row + 1) * cols).join(" "))
  return [`turn ${turn}${reason === null ? "" : `: ${reason}`}`, ...rows, ...seats].join("\n")
}

/** The end of a seat's line: whether it is out, and its strikes. */
export const standing = ({ out, strikes }: Seat): string =>
  `${out === null ? "" : `  out: ${out}`}${strikes === 0 ? "" : `  strikes ${strikes}`}`
