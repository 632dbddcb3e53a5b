/** The view of snakes as text: a letter a snake, its head a capital. */
import { drawPosition, standing } from "../drawing.ts"

interface View {
  readonly rows: number
  readonly cols: number
  readonly turn: number
  readonly reason: string | null
  readonly walls: ReadonlyArray<number>
  readonly food: ReadonlyArray<number>
  readonly seats: ReadonlyArray<{
    readonly body: ReadonlyArray<number>
    readonly health: number
    readonly length: number
    readonly out: string | null
    readonly strikes: number
  }>
}

const HEADS = "ABCDEFGH"

export const picture = (view: unknown, names: ReadonlyArray<string>): string => {
  const { cols, food, rows, seats, walls, ...turn } = view as View
  const cells: Array<string> = new Array(rows * cols).fill(".")
  for (const cell of walls) cells[cell] = "#"
  for (const cell of food) cells[cell] = "*"
  for (const [seat, { body }] of seats.entries()) {
    // From tail to head: where segments share a cell, the one nearer the head shows.
    for (const cell of [...body].reverse()) cells[cell] = HEADS[seat]!.toLowerCase()
    if (body.length > 0) cells[body[0]!] = HEADS[seat]!
  }
  const lines = seats.map((seat, at) => `${HEADS[at]} ${names[at]}  length ${seat.length}  health ${seat.health}${standing(seat)}`)
  return drawPosition(turn, cells, cols, lines)
}
