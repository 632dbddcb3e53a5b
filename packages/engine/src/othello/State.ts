/**
 * The state of one match. `legal` always holds the legal cells of the seat to act (all zero once over), so that a turn
 * computes them once for mask, observation, fallback and the next step alike.
 */
import type { MatchEvent, MatchResult, MatchRules } from "../Engine.ts"
import { Mulberry32 } from "../Mulberry32.ts"
import { ranksOf } from "../ranking.ts"
import { middleOf, type OthelloBoard } from "./Board.ts"
import { BLOCKED, EMPTY, legalCells, place, raysOf } from "./lines.ts"

export type Reason = "forfeit" | "no_moves" | "turn_limit"

export interface Side {
  strikes: number
  out: "forfeit" | null
}

export interface OthelloState {
  readonly board: OthelloBoard
  readonly rng: Mulberry32
  readonly strike_limit: number
  readonly turn_limit: number
  /** The cell one step away in each of eight directions, `rays[cell * 8 + direction]`, -1 off the board. */
  readonly rays: Int16Array
  /** EMPTY, seat + 1, or BLOCKED. */
  readonly grid: Uint8Array
  readonly legal: Uint8Array
  readonly sides: readonly [Side, Side]
  readonly opening: ReadonlyArray<MatchEvent>
  /** -1 once over. */
  to_act: number
  turn: number
  reason: Reason | null
}

const OPENING_PLACEMENTS = 4

export const init = (board: OthelloBoard, seed: number, rules: MatchRules): OthelloState => {
  const cells = board.rows * board.cols
  const grid = new Uint8Array(cells)
  for (const [row, col] of board.blocked) grid[row * board.cols + col] = BLOCKED
  const [upper_left, upper_right, lower_left, lower_right] = middleOf(board.rows, board.cols)
  grid[upper_left] = grid[lower_right] = 2
  grid[upper_right] = grid[lower_left] = 1
  const opening: Array<MatchEvent> = []
  const state: OthelloState = {
    board,
    rng: new Mulberry32(seed),
    strike_limit: rules.strike_limit,
    turn_limit: Math.min(cells, rules.max_turns),
    rays: raysOf(board.rows, board.cols),
    grid,
    legal: new Uint8Array(cells),
    sides: [
      { strikes: 0, out: null },
      { strikes: 0, out: null }
    ],
    opening,
    to_act: -1,
    turn: 0,
    reason: null
  }
  giveTurn(state, 0, opening)
  for (let placed = 0; placed < OPENING_PLACEMENTS && state.reason === null; placed++) {
    const seat = state.to_act
    const cell = nthLegal(state.legal, state.rng.below(count(state.legal, 1)))
    place(state.grid, state.rays, cell, seat)
    opening.push({ turn: 0, kind: "opening", seat, cell })
    giveTurn(state, 1 - seat, opening)
  }
  return state
}

/**
 * Gives the turn to `seat`, or to the other if `seat` cannot place (a pass), or to nobody if neither can or the turns are
 * used up. A pass without a following turn is not an event.
 */
export const giveTurn = (state: OthelloState, seat: number, events: Array<MatchEvent> | undefined): void => {
  let next = seat
  let able = legalCells(state.grid, state.rays, next, state.legal)
  if (!able) {
    next = 1 - seat
    able = legalCells(state.grid, state.rays, next, state.legal)
  }
  if (!able) end(state, "no_moves")
  else if (state.turn >= state.turn_limit) end(state, "turn_limit")
  else {
    state.to_act = next
    if (next !== seat) events?.push({ turn: state.turn, kind: "pass", seat })
  }
}

export const end = (state: OthelloState, reason: Reason): void => {
  state.reason = reason
  state.to_act = -1
  state.legal.fill(0)
}

const count = (cells: Uint8Array, content: number): number => {
  let found = 0
  for (let cell = 0; cell < cells.length; cell++) if (cells[cell] === content) found++
  return found
}

const nthLegal = (legal: Uint8Array, nth: number): number => {
  let cell = legal.indexOf(1)
  for (let left = nth; left > 0; left--) cell = legal.indexOf(1, cell + 1)
  return cell
}

const scoresOf = (state: OthelloState): ReadonlyArray<number> => [count(state.grid, 1), count(state.grid, 2)]

export const result = (state: OthelloState): MatchResult => {
  if (state.reason === null) throw new RangeError("the match is not over")
  const scores = scoresOf(state)
  return {
    reason: state.reason,
    turns: state.turn,
    scores,
    ranks: ranksOf(
      scores,
      state.sides.map((side) => side.out !== null)
    ),
    strikes: state.sides.map((side) => side.strikes)
  }
}

const signs: Readonly<Record<number, string>> = { [EMPTY]: ".", 1: "0", 2: "1", [BLOCKED]: "#" }

const shared = (state: OthelloState) => ({
  turn: state.turn,
  cells: Array.from(state.grid, (content) => signs[content]).join(""),
  to_act: state.to_act < 0 ? null : state.to_act,
  seats: state.sides.map(({ out, strikes }) => ({ out, strikes }))
})

export const canonical = (state: OthelloState) => ({ format: "othello-state/1", rng: state.rng.counter, ...shared(state) })

/** For display: `cells` as in the canonical state, and the discs of each seat. */
export const view = (state: OthelloState) => ({
  format: "othello-view/1",
  rows: state.board.rows,
  cols: state.board.cols,
  reason: state.reason,
  discs: scoresOf(state),
  ...shared(state)
})
