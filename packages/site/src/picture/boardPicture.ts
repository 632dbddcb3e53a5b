/**
 * Pictures of boards and of positions as accessible SVG text, for pages made on the server and for the replay player alike. They are
 * pure functions that take JSON from anywhere: whatever is neither board nor position gives a picture that says so.
 */
import { checkBoard as checkOthello, middleOf, type OthelloBoard } from "@agon/engine/othello/Board.ts"
import { checkBoard as checkSnakes, type SnakesBoard } from "@agon/engine/snakes/Board.ts"
import { counted, describe, type Names } from "./describe.ts"
import { type OthelloPosition, type Position, readPosition, type SnakesPosition } from "./Position.ts"
import { body, disc, head } from "./seats.ts"
import { CELL, framed, ground, type Mark, mark, middle, plainText, walls } from "./svg.ts"

export interface PictureOptions {
  /** Said first; a board's own id and a position's turn otherwise. */
  readonly title?: string
  /** The players' names by seat. */
  readonly names?: Names
  /** Cells that are pointed out; only those of the board are drawn. */
  readonly marks?: ReadonlyArray<Mark>
}

/** A board and the position of its first turn; undefined where it is none. */
export const startOf = (board: unknown): { readonly position: Position; readonly board: SnakesBoard | OthelloBoard } | undefined => {
  const format = typeof board === "object" && board !== null ? (board as { readonly format?: unknown }).format : undefined
  if (format === "snakes-board/1") {
    const checked = checkSnakes(board)
    if (checked.ok) return { position: snakesStart(checked.board), board: checked.board }
  }
  if (format === "othello-board/1") {
    const checked = checkOthello(board)
    if (checked.ok) return { position: othelloStart(checked.board), board: checked.board }
  }
  return undefined
}

/** A board as its file describes it, in the position of the first turn. */
export const boardPicture = (board: unknown, options: PictureOptions = {}): string => {
  const start = startOf(board)
  return start === undefined ? unreadable("This board cannot be shown.") : startPicture(start.position, start.board, options)
}

/** An engine's `view`: of a match's last state from the API, or of any turn in the player. */
export const positionPicture = (view: unknown, options: PictureOptions = {}): string => {
  const position = readPosition(view)
  if (position === undefined) return unreadable("This position cannot be shown.")
  const title = options.title ?? `${position.game === "snakes" ? "Snakes" : "Othello"} after ${counted(position.turn, "turn")}`
  return drawn(position, plainText(title), describe(position, options.names ?? []), options.marks ?? [])
}

const startPicture = (position: Position, board: SnakesBoard | OthelloBoard, options: PictureOptions): string => {
  const { map_id, players, rows, cols } = board
  const size = `${rows} rows, ${cols} columns, ${counted(players, "seat")}`
  const more =
    board.format === "snakes-board/1"
      ? `${counted(board.walls.length, "wall")}, ${counted(board.food.length, "piece of food", "pieces of food")}${board.wrap ? ", without edges" : ""}`
      : counted(board.blocked.length, "blocked cell")
  return drawn(position, plainText(options.title ?? `Board ${map_id}`), `${size}; ${more}.`, options.marks ?? [])
}

const snakesStart = ({ rows, cols, walls, food, spawns }: SnakesBoard): SnakesPosition => {
  const number = ([row, col]: readonly [number, number]) => row * cols + col
  const seats = spawns.map((spawn) => ({ body: [number(spawn)], health: 100, length: 3, out: null }))
  return { game: "snakes", rows, cols, turn: 0, walls: walls.map(number), food: food.map(number), seats }
}

const othelloStart = ({ rows, cols, blocked }: OthelloBoard): OthelloPosition => {
  const cells: Array<string> = new Array(rows * cols).fill(".")
  for (const [row, col] of blocked) cells[row * cols + col] = "#"
  const [upper_left, upper_right, lower_left, lower_right] = middleOf(rows, cols)
  cells[upper_left] = cells[lower_right] = "1"
  cells[upper_right] = cells[lower_left] = "0"
  return { game: "othello", rows, cols, turn: 0, cells: cells.join(""), to_act: 0, seats: [{ out: null }, { out: null }] }
}

const drawn = (position: Position, title: string, description: string, marks: ReadonlyArray<Mark>): string => {
  const { rows, cols, game } = position
  const pieces = game === "snakes" ? snakes(position) : othello(position)
  const shown = marks.filter(({ cell, seat }) => Number.isInteger(cell) && cell >= 0 && cell < rows * cols && isSeat(seat))
  return framed({ kind: game, rows, cols, title, description }, [ground(rows, cols), ...pieces, ...shown.map((one) => mark(one, cols))])
}

const isSeat = (seat: number): boolean => Number.isInteger(seat) && seat >= 0 && seat < 8

const snakes = ({ rows, cols, walls: walled, food, seats }: SnakesPosition): ReadonlyArray<string> => [
  walls(walled, cols),
  ...food.map((cell) => {
    const { x, y } = middle(cell, cols)
    return `<g class="food"><circle cx="${x}" cy="${y + 1}" r="5"/><path d="M${x} ${y - 3}q0-4 4-5"/></g>`
  }),
  ...seats.flatMap((seat, index) => (seat.body.length > 1 ? [body(index, trail(seat.body, rows, cols))] : [])),
  // Heads last: no body hides one.
  ...seats.flatMap((seat, index) => (seat.body.length > 0 ? [head(index, middle(seat.body[0]!, cols))] : []))
]

const othello = ({ cols, cells }: OthelloPosition): ReadonlyArray<string> => {
  const at = (sign: string) => [...cells].flatMap((cell, index) => (cell === sign ? [index] : []))
  return [walls(at("#"), cols), ...["0", "1"].flatMap((sign, seat) => at(sign).map((cell) => disc(seat, middle(cell, cols))))]
}

/** A body's way through the middles of its cells. Where it goes over the edge the line leaves on one side and comes back on the other. */
const trail = (cells: ReadonlyArray<number>, rows: number, cols: number): string => {
  const first = middle(cells[0]!, cols)
  let path = `M${first.x} ${first.y}`
  for (let index = 1; index < cells.length; index++) {
    const from = middle(cells[index - 1]!, cols)
    const to = middle(cells[index]!, cols)
    if (from.x === to.x && from.y === to.y) continue
    const across = stepOver(to.x - from.x, cols * CELL)
    const down = stepOver(to.y - from.y, rows * CELL)
    const beside = Math.abs(to.x - from.x) + Math.abs(to.y - from.y) === CELL
    path += beside ? `L${to.x} ${to.y}` : `L${from.x + across} ${from.y + down}M${to.x - across} ${to.y - down}L${to.x} ${to.y}`
  }
  return path
}

/** One cell in the direction in which the next segment lies over the edge; none along the other axis. */
const stepOver = (difference: number, side: number): number => (Math.abs(difference) === side - CELL ? -Math.sign(difference) * CELL : 0)

const unreadable = (title: string): string =>
  framed({ kind: "unreadable", rows: 4, cols: 4, title, description: "" }, [
    `<rect class="ground" width="${4 * CELL}" height="${4 * CELL}"/>`,
    `<path class="cross" d="M0 0l${4 * CELL} ${4 * CELL}m0-${4 * CELL}l-${4 * CELL} ${4 * CELL}"/>`
  ])
