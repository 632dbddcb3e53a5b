/**
 * Boards and positions as PNG, for previews of links, which take no SVG: the same cells, pieces and colours as the pictures of the pages
 * have on a light ground, and a number on each head. Pure functions of JSON from anywhere, with nothing for what is no position. A board
 * has at most 25 by 25 cells, and a picture as many pixels whatever is on it, so one takes a few milliseconds and less than 40 kB.
 */
import { startOf } from "./boardPicture.ts"
import { Canvas } from "./Canvas.ts"
import { type OthelloPosition, type Position, readPosition, type SnakesPosition } from "./Position.ts"
import { COLOURS, SEAT_COLOURS } from "./styles.ts"

/** The longer side at most, in pixels; the other has the same pixels for a cell. */
export const PNG_SIDE_MAX = 640

/** A board in the position of its first turn. */
export const boardPng = (board: unknown): Buffer | undefined => {
  const position = startOf(board)?.position
  return position === undefined ? undefined : painted(position)
}

/** An engine's `view`. */
export const positionPng = (view: unknown): Buffer | undefined => {
  const position = readPosition(view)
  return position === undefined ? undefined : painted(position)
}

/** A canvas that counts in cells. */
interface Grid {
  readonly canvas: Canvas
  readonly side: number
  readonly rows: number
  readonly cols: number
}

const painted = (position: Position): Buffer => {
  const { cols, game, rows } = position
  const side = Math.floor(PNG_SIDE_MAX / Math.max(rows, cols))
  const canvas = new Canvas(cols * side, rows * side)
  const grid = { canvas, side, rows, cols }
  const { ground, line } = COLOURS[game]
  canvas.rect(0, 0, cols * side, rows * side, ground)
  for (let row = 1; row < rows; row++) canvas.rect(0, row * side, cols * side, row * side + 1, line)
  for (let col = 1; col < cols; col++) canvas.rect(col * side, 0, col * side + 1, rows * side, line)
  if (position.game === "snakes") snakes(grid, position)
  else othello(grid, position)
  return canvas.png()
}

const middle = ({ cols, side }: Grid, cell: number) => ({ x: ((cell % cols) + 0.5) * side, y: (Math.floor(cell / cols) + 0.5) * side })

const filled = ({ canvas, cols, side }: Grid, cell: number, colour: string) => {
  const [left, top] = [(cell % cols) * side, Math.floor(cell / cols) * side]
  canvas.rect(left, top, left + side, top + side, colour)
}

const seatColour = (seat: number): string => SEAT_COLOURS[seat]![0]

const snakes = (grid: Grid, { food, seats, walls }: SnakesPosition) => {
  const { canvas, side } = grid
  const colours = COLOURS.snakes
  for (const cell of walls) filled(grid, cell, colours.solid)
  for (const cell of food) {
    const { x, y } = middle(grid, cell)
    canvas.disc(x, y, 0.25 * side, colours.food, colours.ground)
  }
  for (const [seat, { body }] of seats.entries()) trail(grid, body, seatColour(seat))
  // Heads last: no body hides one.
  for (const [seat, { body }] of seats.entries()) {
    if (body.length === 0) continue
    const { x, y } = middle(grid, body[0]!)
    canvas.disc(x, y, 0.47 * side, seatColour(seat), colours.ground)
    canvas.digit(seat + 1, x, y, 0.5 * side, colours.number)
  }
}

/** As wide as 0.6 of a cell. */
const HALF_WIDTH = 0.3

/** A body along the middles of its cells. Where it goes over the edge it leaves on one side and comes back on the other. */
const trail = (grid: Grid, body: ReadonlyArray<number>, colour: string) => {
  const { canvas, cols, rows, side } = grid
  const half = HALF_WIDTH * side
  for (const [i, cell] of body.entries()) {
    const { x, y } = middle(grid, cell)
    canvas.rect(x - half, y - half, x + half, y + half, colour)
    if (i === 0) continue
    const before = middle(grid, body[i - 1]!)
    const across = stepBetween(before.x, x, side, cols)
    const down = stepBetween(before.y, y, side, rows)
    // From the middle of one cell towards the other, and from the other towards it: over an edge these are two ends.
    for (const [from, sign] of [
      [before, 1],
      [{ x, y }, -1]
    ] as const) {
      const to = { x: from.x + sign * across * side, y: from.y + sign * down * side }
      canvas.rect(
        Math.min(from.x, to.x) - half,
        Math.min(from.y, to.y) - half,
        Math.max(from.x, to.x) + half,
        Math.max(from.y, to.y) + half,
        colour
      )
    }
  }
}

/** The direction of one cell along an axis, over the edge where the two are at its ends; none where they are no neighbours. */
const stepBetween = (from: number, to: number, side: number, cells: number): number => {
  const difference = Math.round((to - from) / side)
  if (Math.abs(difference) === cells - 1 && cells > 2) return -Math.sign(difference)
  return Math.abs(difference) === 1 ? difference : 0
}

const othello = (grid: Grid, { cells }: OthelloPosition) => {
  const colours = COLOURS.othello
  for (const [cell, sign] of [...cells].entries()) {
    if (sign === ".") continue
    if (sign === "#") filled(grid, cell, colours.solid)
    else {
      const { x, y } = middle(grid, cell)
      grid.canvas.disc(x, y, 0.42 * grid.side, sign === "0" ? colours.rims[0] : colours.rims[1], colours.ground)
      grid.canvas.disc(x, y, 0.39 * grid.side, sign === "0" ? colours.discs[0] : colours.discs[1], colours.discs[0])
    }
  }
}
