/**
 * Positions for tests: a match as it stands when the bodies lie where they are put. Bodies are cells head first, the
 * last one repeated where segments are stacked.
 */
import { drawSnakes, type SnakesSettings } from "../boards/picture.ts"
import type { MatchRules } from "../Engine.ts"
import { EMPTY } from "./Land.ts"
import { init, type SnakesState } from "./State.ts"

export interface Arrangement extends Partial<SnakesSettings> {
  readonly picture: string
  readonly bodies?: ReadonlyArray<ReadonlyArray<readonly [number, number]>>
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
    const cells = body.map(([row, col]) => row * board.cols + col)
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
    for (let back = 0; back < distinct; back++) {
      const [row, col] = body[back]!
      state.trail[seat * state.land.trail_size + head - back] = row * board.cols + col
      state.grid[row * board.cols + col] = seat + 1
    }
  })
  to.health?.forEach((health, seat) => {
    state.snakes[seat]!.health = health
  })
  return state
}

export const UP = 0
export const RIGHT = 1
export const DOWN = 2
export const LEFT = 3
