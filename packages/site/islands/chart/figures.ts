/** The figures of a chart, read from the table that everybody may read: times by row, lines by column. */

export interface Line {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
}

export interface Figures {
  /** In seconds. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
}

const numberOf = (text: string): number | null => {
  const value = Number.parseFloat(text.trim().replace("−", "-"))
  return Number.isFinite(value) ? value : null
}

/** Columns that are drawn are marked in the table's head; undefined where there is no line. */
export const readFigures = (table: HTMLTableElement | null): Figures | undefined => {
  const head = [...(table?.tHead?.rows[0]?.cells ?? [])]
  const rows = [...(table?.tBodies[0]?.rows ?? [])]
  const times = rows.map((row) => Date.parse(row.querySelector("time")?.dateTime ?? "") / 1000)
  const drawn = head.flatMap((cell, column) => (cell.dataset["line"] === undefined ? [] : [{ column, name: cell.textContent.trim() }]))
  if (times.length < 2 || drawn.length === 0 || times.some(Number.isNaN)) return undefined
  const lines = drawn.map(({ column, name }) => ({ name, values: rows.map((row) => numberOf(row.cells[column]?.textContent ?? "")) }))
  return { times, lines }
}
