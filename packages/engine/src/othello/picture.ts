/** The view of othello as text: X has the first seat, O the second. */
import { drawPosition, standing } from "../drawing.ts"

interface View {
  readonly cols: number
  readonly turn: number
  readonly reason: string | null
  readonly cells: string
  readonly discs: ReadonlyArray<number>
  readonly to_act: number | null
  readonly seats: ReadonlyArray<{ readonly out: string | null; readonly strikes: number }>
}

const DISCS = "XO"

export const picture = (view: unknown, names: ReadonlyArray<string>): string => {
  const { cells, cols, discs, seats, to_act, ...turn } = view as View
  const signs = Array.from(cells, (cell) => ("01".includes(cell) ? DISCS[Number(cell)]! : cell))
  const lines = seats.map(
    (seat, at) => `${DISCS[at]} ${names[at]}  discs ${discs[at]}${standing(seat)}${to_act === at ? "  to place" : ""}`
  )
  return drawPosition(turn, signs, cols, lines)
}
