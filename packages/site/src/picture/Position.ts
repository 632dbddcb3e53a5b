/**
 * A position of a match: an engine's `view`, read from JSON that may come from anywhere. Other values read as undefined; its size
 * is bounded by that of a board.
 */

export interface SnakeSeat {
  readonly body: ReadonlyArray<number>
  readonly health: number
  readonly length: number
  readonly out: string | null
}

export interface SnakesPosition {
  readonly game: "snakes"
  readonly rows: number
  readonly cols: number
  readonly turn: number
  readonly walls: ReadonlyArray<number>
  readonly food: ReadonlyArray<number>
  readonly seats: ReadonlyArray<SnakeSeat>
}

export interface OthelloPosition {
  readonly game: "othello"
  readonly rows: number
  readonly cols: number
  readonly turn: number
  /** Row-major, `.` `#` `0` `1`. */
  readonly cells: string
  readonly to_act: number | null
  readonly seats: ReadonlyArray<{ readonly out: string | null }>
}

export type Position = SnakesPosition | OthelloPosition

const SIDE_MAX = 25
const SEATS_MAX = 8
const TURN_MAX = 5_000

type Members = Readonly<Record<string, unknown>>

export const readPosition = (value: unknown): Position | undefined => {
  if (!isObject(value)) return undefined
  const { rows, cols, turn } = value
  if (!isWhole(rows, SIDE_MAX) || !isWhole(cols, SIDE_MAX) || !isWhole(turn, TURN_MAX) || rows < 2 || cols < 2) return undefined
  if (value["format"] === "snakes-view/1") return readSnakes(value, { rows, cols, turn })
  return value["format"] === "othello-view/1" ? readOthello(value, { rows, cols, turn }) : undefined
}

type Size = Pick<Position, "rows" | "cols" | "turn">

const readSnakes = (value: Members, size: Size): SnakesPosition | undefined => {
  const cells = size.rows * size.cols
  const walls = readCells(value["walls"], cells)
  const food = readCells(value["food"], cells)
  const seats = readSeats(value["seats"], (seat): SnakeSeat | undefined => {
    const body = readCells(seat["body"], cells)
    const { health, length, out } = seat
    if (body === undefined || !isWhole(health, 100) || !isWhole(length, 2 * cells) || !isCause(out)) return undefined
    return { body, health, length, out }
  })
  return walls === undefined || food === undefined || seats === undefined ? undefined : { game: "snakes", ...size, walls, food, seats }
}

const readOthello = (value: Members, size: Size): OthelloPosition | undefined => {
  const { cells, to_act } = value
  if (typeof cells !== "string" || cells.length !== size.rows * size.cols || !/^[.#01]+$/.test(cells)) return undefined
  if (to_act !== null && to_act !== 0 && to_act !== 1) return undefined
  const seats = readSeats(value["seats"], ({ out }) => (isCause(out) ? { out } : undefined))
  return seats === undefined ? undefined : { game: "othello", ...size, cells, to_act, seats }
}

/** As many as there may be, and undefined where one of them is not readable. */
const readSeats = <Seat>(value: unknown, read: (seat: Members) => Seat | undefined): ReadonlyArray<Seat> | undefined => {
  if (!Array.isArray(value) || value.length > SEATS_MAX) return undefined
  const seats = value.flatMap((seat: unknown) => (isObject(seat) ? (read(seat) ?? []) : []))
  return seats.length === value.length ? seats : undefined
}

/** A body may hold a cell more than once, and one cell more than the board in all. */
const readCells = (value: unknown, cells: number): ReadonlyArray<number> | undefined =>
  Array.isArray(value) && value.length <= 2 * cells && value.every((cell) => isWhole(cell, cells - 1)) ? value : undefined

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value)

const isWhole = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max

const isCause = (value: unknown): value is string | null => value === null || (typeof value === "string" && /^[a-z_]{1,20}$/.test(value))
