/**
 * One turn: strikes, then the six stages of docs/games.md#a-turn-of-snakes in their order.
 *
 * The tails drop before any head is put down, so between stages 1 and 5 the grid holds exactly the non-head segments, and a
 * collision is one lookup of the cell that a head moves to. Heads are put down after stage 5, those of the survivors only.
 */
import type { Choice, MatchEvent } from "../Engine.ts"
import { EMPTY, FOOD, WALL } from "./Land.ts"
import type { Cause, Snake, SnakesState } from "./State.ts"

type Events = Array<MatchEvent> | undefined

export const step = (state: SnakesState, choices: ReadonlyArray<Choice>, events: Events): void => {
  checkChoices(state, choices)
  const before = state.living.length
  takeChoices(state, choices, events)
  const forfeits = before - state.living.length
  moveAll(state)
  eatAll(state)
  starveAndCrash(state, events)
  collide(state, events)
  putHeadsDown(state)
  spawnFood(state, events)
  state.turn++
  const left = state.living.length
  if (left <= 1) state.reason = before - left === forfeits ? "forfeit" : left === 1 ? "last_standing" : "all_out"
  else if (state.turn >= state.turn_limit) state.reason = "turn_limit"
}

export const fallback = (snake: Snake): number => Math.max(snake.dir, 0)

/** Throws on an illegal choice, a mistake of the caller, before anything has changed. */
const checkChoices = (state: SnakesState, choices: ReadonlyArray<Choice>): void => {
  if (state.reason !== null) throw new RangeError("the match is over")
  for (const seat of state.living) {
    const choice = choices[seat]
    if (typeof choice === "string") continue
    if (choice !== 0 && choice !== 1 && choice !== 2 && choice !== 3) throw new RangeError(`seat ${seat} has no such action: ${choice}`)
  }
}

/** Strikes count before stage 1; a seat at the limit leaves unmoved. */
const takeChoices = (state: SnakesState, choices: ReadonlyArray<Choice>, events: Events): void => {
  const living = state.living
  let left = false
  for (let index = 0; index < living.length; index++) {
    const seat = living[index]!
    const snake = state.snakes[seat]!
    const choice = choices[seat]
    if (typeof choice === "number") {
      snake.dir = choice
      continue
    }
    snake.strikes++
    if (snake.strikes < state.strike_limit) {
      snake.dir = fallback(snake)
      continue
    }
    leave(state, seat, "forfeit", events)
    left = true
  }
  if (left) recount(state)
}

/** Stages 1 and 2. */
const moveAll = (state: SnakesState): void => {
  const { grid, trail, land, living } = state
  const size = land.trail_size
  for (let index = 0; index < living.length; index++) {
    const seat = living[index]!
    const snake = state.snakes[seat]!
    snake.cell = land.next[snake.cell * 4 + snake.dir]!
    snake.health--
    if (snake.stacked > 0) {
      snake.stacked--
      continue
    }
    snake.distinct--
    grid[trail[seat * size + ((snake.head - snake.distinct) & (size - 1))]!] = EMPTY
  }
}

/** Stage 3. Food is removed only after every head on it has eaten. */
const eatAll = (state: SnakesState): void => {
  const { grid, living } = state
  let eaten = false
  for (let index = 0; index < living.length; index++) {
    const snake = state.snakes[living[index]!]!
    if (snake.cell < 0 || grid[snake.cell] !== FOOD) continue
    snake.health = 100
    snake.length++
    snake.stacked++
    eaten = true
  }
  if (!eaten) return
  for (let index = 0; index < living.length; index++) {
    const { cell } = state.snakes[living[index]!]!
    if (cell < 0 || grid[cell] !== FOOD) continue
    grid[cell] = EMPTY
    state.food--
    state.food_cells[state.food_cells.indexOf(cell)] = state.food_cells[state.food]!
  }
}

/** Stage 4. */
const starveAndCrash = (state: SnakesState, events: Events): void => {
  const { grid, living } = state
  let left = false
  for (let index = 0; index < living.length; index++) {
    const seat = living[index]!
    const snake = state.snakes[seat]!
    if (snake.health > 0 && snake.cell >= 0 && grid[snake.cell] !== WALL) continue
    leave(state, seat, snake.health === 0 ? "starved" : "wall", events)
    left = true
  }
  if (left) recount(state)
}

/** Stage 5. All causes are found before the first body leaves. */
const collide = (state: SnakesState, events: Events): void => {
  const { living, snakes } = state
  let causes: Array<Cause | null> | null = null
  for (let index = 0; index < living.length; index++) {
    const cause = collision(state, living[index]!)
    if (cause === null) continue
    causes ??= snakes.map(() => null)
    causes[living[index]!] = cause
  }
  if (causes === null) return
  for (const seat of living) {
    const cause = causes[seat]!
    if (cause !== null) leave(state, seat, cause, events)
  }
  recount(state)
}

const collision = (state: SnakesState, seat: number): Cause | null => {
  const { living, snakes } = state
  const snake = snakes[seat]!
  const there = state.grid[snake.cell]!
  if (there !== EMPTY) return there === seat + 1 ? "self" : "body"
  for (let index = 0; index < living.length; index++) {
    const rival = snakes[living[index]!]!
    if (rival.cell === snake.cell && rival !== snake && rival.length >= snake.length) return "head"
  }
  return null
}

const putHeadsDown = (state: SnakesState): void => {
  const { grid, trail, living } = state
  const size = state.land.trail_size
  for (let index = 0; index < living.length; index++) {
    const seat = living[index]!
    const snake = state.snakes[seat]!
    snake.head = (snake.head + 1) & (size - 1)
    snake.distinct++
    trail[seat * size + snake.head] = snake.cell
    grid[snake.cell] = seat + 1
  }
}

/** Stage 6. Below `min_food` with no free cell, no number is drawn. */
const spawnFood = (state: SnakesState, events: Events): void => {
  const { board } = state.land
  if (state.food >= board.min_food && (board.food_chance === 0 || state.rng.below(100) >= board.food_chance)) return
  let free = state.land.open - state.food
  for (const seat of state.living) free -= state.snakes[seat]!.distinct
  if (free === 0) return
  const cell = freeCell(state.grid, state.rng.below(free))
  state.grid[cell] = FOOD
  state.food_cells[state.food++] = cell
  events?.push({ turn: state.turn, kind: "food", cell })
}

/** The free cell numbered `nth`, row-major. */
const freeCell = (grid: Uint8Array, nth: number): number => {
  let left = nth
  let cell = 0
  for (;;) {
    if (grid[cell] === EMPTY && left-- === 0) return cell
    cell++
  }
}

/** The seat is out, with the cells that its body still holds on the grid. `recount` once the stage is through. */
const leave = (state: SnakesState, seat: number, cause: Cause, events: Events): void => {
  const { grid, trail } = state
  const size = state.land.trail_size
  const snake = state.snakes[seat]!
  for (let back = 0; back < snake.distinct; back++) grid[trail[seat * size + ((snake.head - back) & (size - 1))]!] = EMPTY
  snake.out = cause
  snake.out_turn = state.turn
  events?.push({ turn: state.turn, kind: "out", seat, reason: cause })
}

const recount = (state: SnakesState): void => {
  state.living = state.living.filter((seat) => state.snakes[seat]!.out === null)
}
