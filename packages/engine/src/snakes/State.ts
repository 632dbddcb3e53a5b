/**
 * The state of one match. Typed arrays and small integers only, changed in place by `step`.
 *
 * A body is kept as the distinct cells it lies on, in a ring of `trail` (newest at `head`), and `stacked`: how many more
 * segments lie on the last of them. Its length is distinct + stacked. So a tail that drops while stacked only counts down,
 * and eating counts up.
 *
 * The grid holds each living body's cells. No two living bodies share a cell between turns, which is what makes one byte a
 * cell enough.
 */
import type { MatchResult, MatchRules } from "../Engine.ts"
import { Mulberry32 } from "../Mulberry32.ts"
import { ranksOf } from "../ranking.ts"
import type { SnakesBoard } from "./Board.ts"
import { type Land, landOf } from "./Land.ts"

export type Cause = "forfeit" | "starved" | "wall" | "self" | "body" | "head"
export type Reason = "forfeit" | "last_standing" | "all_out" | "turn_limit"

export interface Snake {
  /** Position of the head in this seat's ring. */
  head: number
  distinct: number
  stacked: number
  length: number
  health: number
  /** The move last made, -1 before the first. */
  dir: number
  strikes: number
  out: Cause | null
  out_turn: number
  /** During a turn: the cell the head moves to, -1 off the board. Between turns: the cell it is on. */
  cell: number
}

export interface SnakesState {
  readonly land: Land
  readonly rng: Mulberry32
  readonly strike_limit: number
  readonly turn_limit: number
  readonly grid: Uint8Array
  /** One ring of `land.trail_size` cells a seat. */
  readonly trail: Uint16Array
  readonly snakes: ReadonlyArray<Snake>
  /** Seats that are not out, ascending; replaced when a seat leaves. */
  living: ReadonlyArray<number>
  /** The cells that hold food, the first `food` entries, in no particular order. */
  readonly food_cells: Uint16Array
  food: number
  turn: number
  reason: Reason | null
}

const HEALTH_FULL = 100

export const init = (board: SnakesBoard, seed: number, rules: MatchRules): SnakesState => {
  const land = landOf(board)
  const trail = new Uint16Array(land.seats * land.trail_size)
  const snakes: Array<Snake> = []
  const living: Array<number> = []
  for (let seat = 0; seat < land.seats; seat++) {
    const cell = land.spawns[seat]!
    trail[seat * land.trail_size] = cell
    snakes.push({
      head: 0,
      distinct: 1,
      stacked: 2,
      length: 3,
      health: HEALTH_FULL,
      dir: -1,
      strikes: 0,
      out: null,
      out_turn: -1,
      cell
    })
    living.push(seat)
  }
  const food_cells = new Uint16Array(land.cells)
  food_cells.set(land.food)
  return {
    land,
    rng: new Mulberry32(seed),
    strike_limit: rules.strike_limit,
    turn_limit: Math.min(board.max_turns, rules.max_turns),
    grid: land.grid.slice(),
    trail,
    snakes,
    living,
    food_cells,
    food: land.food.length,
    turn: 0,
    reason: null
  }
}

/** The body's cells, head first, stacked ones repeated; empty when out. */
export const bodyOf = (state: SnakesState, seat: number): ReadonlyArray<number> => {
  const snake = state.snakes[seat]!
  if (snake.out !== null) return []
  const size = state.land.trail_size
  return Array.from({ length: snake.length }, (_, index) => {
    const back = Math.min(index, snake.distinct - 1)
    return state.trail[seat * size + ((snake.head - back) & (size - 1))]!
  })
}

/** Cells that hold food, ascending. */
export const foodOf = (state: SnakesState): ReadonlyArray<number> =>
  Array.from(state.food_cells.subarray(0, state.food)).sort((a, b) => a - b)

/** Turns survived weigh more than any length that fits the board. */
export const result = (state: SnakesState): MatchResult => {
  if (state.reason === null) throw new RangeError("the match is not over")
  const weight = state.land.cells + 1
  const scores = state.snakes.map((snake) => (snake.out === null ? state.turn : snake.out_turn) * weight + snake.length)
  return {
    reason: state.reason,
    turns: state.turn,
    scores,
    ranks: ranksOf(
      scores,
      state.snakes.map((snake) => snake.out === "forfeit")
    ),
    strikes: state.snakes.map((snake) => snake.strikes)
  }
}

const seatOf = (state: SnakesState, snake: Snake, seat: number) => ({
  body: bodyOf(state, seat),
  dir: snake.dir < 0 ? null : snake.dir,
  health: snake.health,
  length: snake.length,
  out: snake.out,
  out_turn: snake.out === null ? null : snake.out_turn,
  strikes: snake.strikes
})

export const canonical = (state: SnakesState) => ({
  format: "snakes-state/1",
  turn: state.turn,
  rng: state.rng.counter,
  food: foodOf(state),
  seats: state.snakes.map((snake, seat) => seatOf(state, snake, seat))
})

/** For display: cells are cell numbers, bodies head first. */
export const view = (state: SnakesState) => {
  const { rows, cols, wrap, walls } = state.land.board
  return {
    format: "snakes-view/1",
    rows,
    cols,
    wrap,
    turn: state.turn,
    reason: state.reason,
    walls: walls.map(([row, col]) => row * cols + col).sort((a, b) => a - b),
    food: foodOf(state),
    seats: state.snakes.map((snake, seat) => seatOf(state, snake, seat))
  }
}
