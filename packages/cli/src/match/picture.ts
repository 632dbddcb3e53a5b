/** An engine's `view` as text: one line per row of the board, then one per seat. */

interface SeatView {
  readonly out: string | null
  readonly strikes: number
}
interface SnakesView {
  readonly format: "snakes-view/1"
  readonly rows: number
  readonly cols: number
  readonly turn: number
  readonly reason: string | null
  readonly walls: ReadonlyArray<number>
  readonly food: ReadonlyArray<number>
  readonly seats: ReadonlyArray<SeatView & { readonly body: ReadonlyArray<number>; readonly health: number; readonly length: number }>
}
interface OthelloView {
  readonly format: "othello-view/1"
  readonly rows: number
  readonly cols: number
  readonly turn: number
  readonly reason: string | null
  readonly cells: string
  readonly discs: ReadonlyArray<number>
  readonly to_act: number | null
  readonly seats: ReadonlyArray<SeatView>
}

const HEADS = "ABCDEFGH"
const DISCS: Readonly<Record<string, string>> = { "0": "X", "1": "O" }

const rowsOf = (cells: ReadonlyArray<string>, cols: number): ReadonlyArray<string> =>
  Array.from({ length: cells.length / cols }, (_, row) => cells.slice(row * cols, (row + 1) * cols).join(" "))

const tail = ({ out, strikes }: SeatView) => `${out === null ? "" : `  out: ${out}`}${strikes === 0 ? "" : `  strikes ${strikes}`}`

const snakes = ({ rows, cols, walls, food, seats }: SnakesView, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cells: Array<string> = new Array(rows * cols).fill(".")
  for (const cell of walls) cells[cell] = "#"
  for (const cell of food) cells[cell] = "*"
  for (const [seat, { body }] of seats.entries()) {
    // From tail to head: where segments share a cell, the one nearer the head shows.
    for (const cell of [...body].reverse()) cells[cell] = HEADS[seat]!.toLowerCase()
    if (body.length > 0) cells[body[0]!] = HEADS[seat]!
  }
  const lines = seats.map((seat, index) => `${HEADS[index]} ${names[index]}  length ${seat.length}  health ${seat.health}${tail(seat)}`)
  return [...rowsOf(cells, cols), ...lines]
}

const othello = ({ cols, cells, discs, to_act, seats }: OthelloView, names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...rowsOf(
    Array.from(cells, (cell) => DISCS[cell] ?? cell),
    cols
  ),
  ...seats.map((seat, index) => `${"XO"[index]} ${names[index]}  discs ${discs[index]}${tail(seat)}${to_act === index ? "  to place" : ""}`)
]

/** `names` are the names of the seats. A game without a picture here is shown as JSON. */
export const picture = (view: unknown, names: ReadonlyArray<string>): string => {
  const known = view as SnakesView | OthelloView | { readonly format: "" }
  if (known.format !== "snakes-view/1" && known.format !== "othello-view/1") return JSON.stringify(view)
  const lines = known.format === "snakes-view/1" ? snakes(known, names) : othello(known, names)
  return [`turn ${known.turn}${known.reason === null ? "" : `: ${known.reason}`}`, ...lines].join("\n")
}
