/**
 * Positions for tests: a match as it stands when the bodies lie where they are put. A cell is its row and its column,
 * a digit each, and a body its cells head first, the last one repeated where segments are stacked: "12 11 11".
 */

import type { Choice, MatchEvent, MatchRules } from "../../Engine.ts"
import { drawSnakes, type SnakesSettings } from "../boards.ts"
import { EMPTY } from "../Land.ts"
import { bodyOf, init, type SnakesState } from "../State.ts"
import { step } from "../step.ts"

export interface Arrangement extends Partial<SnakesSettings> {
  readonly picture: string
  readonly bodies?: ReadonlyArray<string>
  readonly health?: ReadonlyArray<number>
  readonly seed?: number
  readonly strike_limit?: number
  /** The rules' limit; `max_turns` is the board's. */
  readonly rules_max_turns?: number
}

/** The picture is that of the board, its digits the spawns; `bodies` replace those of the start. */
export const arranged = (to: Arrangement): SnakesState => {
  const settings = { wrap: to.wrap ?? false, min_food: to.min_food ?? 0, food_chance: to.food_chance ?? 0, max_turns: to.max_turns ?? 500 }
  const board = drawSnakes("test", settings, to.picture)
  const rules: MatchRules = { max_turns: to.rules_max_turns ?? 500, strike_limit: to.strike_limit ?? 3 }
  const state = init(board, to.seed ?? 1, rules)
  to.bodies?.forEach((body, seat) => {
    const snake = state.snakes[seat]!
    const cells = cellsOf(body, board.cols)
    const distinct = new Set(cells).size
    state.grid[snake.cell] = EMPTY
    snake.cell = cells[0]!
    snake.length = cells.length
    snake.distinct = distinct
    snake.stacked = cells.length - distinct
    snake.head = distinct - 1
  })
  to.bodies?.forEach((body, seat) => {
    const { head, distinct } = state.snakes[seat]!
    const cells = cellsOf(body, board.cols)
    for (let back = 0; back < distinct; back++) {
      state.trail[seat * state.land.trail_size + head - back] = cells[back]!
      state.grid[cells[back]!] = seat + 1
    }
  })
  to.health?.forEach((health, seat) => {
    state.snakes[seat]!.health = health
  })
  return state
}

const cellsOf = (body: string, cols: number): ReadonlyArray<number> => body.split(" ").map((at) => Number(at[0]) * cols + Number(at[1]))

/** Plays one turn and answers what happened in it. */
export const play = (state: SnakesState, ...choices: ReadonlyArray<Choice>): ReadonlyArray<MatchEvent> => {
  const events: Array<MatchEvent> = []
  step(state, choices, events)
  return events
}

/** Who left and why, in the order of the events. */
export const outs = (events: ReadonlyArray<MatchEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event.kind === "out" ? [`${event.seat} ${event.reason}`] : []))

/** The body as it is written in an arrangement; empty when out. */
export const bodies = (state: SnakesState, seat: number): string =>
  bodyOf(state, seat)
    .map((cell) => `${Math.floor(cell / state.land.board.cols)}${cell % state.land.board.cols}`)
    .join(" ")

export const head = (state: SnakesState, seat: number): string => bodies(state, seat).slice(0, 2)

export const heads = (state: SnakesState): string => state.snakes.map((_, seat) => head(state, seat)).join(" ")

export const open = "....... .1..... ....... ....... ....... .....2. ......."
/** Four seats far from each other, so that a test's two are never the last. */
export const four = "3...... .1..... ....... ....... ....... .....2. ......4"

export const UP = 0
export const RIGHT = 1
export const DOWN = 2
export const LEFT = 3
