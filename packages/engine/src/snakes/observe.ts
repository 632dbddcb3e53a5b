/**
 * A seat's observation: 12 planes (docs/games.md#what-a-snake-sees). A body is all its segments, the head included, as in
 * `body` of the canonical state; a cell with several segments of one body frees with the last of them.
 *
 * Most of the planes are the same in every observation of a board, so they are copied whole; bodies and food are then
 * written cell by cell. Nothing is allocated.
 */
import { EMPTY, FOOD, WALL } from "./Land.ts"
import type { SnakesState } from "./State.ts"

export const observe = (state: SnakesState, seat: number, out: Float32Array): void => {
  const { land, living, snakes } = state
  const cells = land.cells
  const own = snakes[seat]!
  out.set(land.scene)
  out.fill(own.health / 100, cells * 7, cells * 8)
  out.set(land.lanes[openMoves(state, seat)]!, cells * 8)
  for (let index = 0; index < state.food; index++) out[cells * 5 + state.food_cells[index]!] = 1
  for (let index = 0; index < living.length; index++) {
    const other = living[index]!
    const snake = snakes[other]!
    if (other === seat) {
      out[snake.cell] = 1
      writeBody(state, seat, out, cells)
      continue
    }
    out[cells * 2 + snake.cell] = 1
    if (snake.length >= own.length) out[cells * 3 + snake.cell] = 1
    writeBody(state, other, out, cells * 4)
  }
}

/** Turns until each cell frees, over 64: the whole length at the head, one turn less each cell towards the tail. */
const writeBody = (state: SnakesState, seat: number, out: Float32Array, plane: number): void => {
  const { trail } = state
  const { head, distinct, length } = state.snakes[seat]!
  const size = state.land.trail_size
  const ring = seat * size
  for (let back = 0; back < distinct; back++) out[plane + trail[ring + ((head - back) & (size - 1))]!] = (length - back) / 64
}

/** Bit m is set where move m meets no wall, no edge, and no segment that is still there next turn; 0 for a seat that is out. */
export const openMoves = (state: SnakesState, seat: number): number => {
  const { land, grid } = state
  const snake = state.snakes[seat]!
  if (snake.out !== null) return 0
  let open = 0
  for (let move = 0; move < 4; move++) {
    const cell = land.next[snake.cell * 4 + move]!
    if (cell < 0) continue
    const there = grid[cell]!
    if (there === EMPTY || there === FOOD || (there !== WALL && isLeaving(state, there - 1, cell))) open |= 1 << move
  }
  return open
}

/** Whether this cell of a body is a tail that drops in the next turn. */
const isLeaving = (state: SnakesState, seat: number, cell: number): boolean => {
  const snake = state.snakes[seat]!
  const size = state.land.trail_size
  return snake.stacked === 0 && state.trail[seat * size + ((snake.head - snake.distinct + 1) & (size - 1))] === cell
}
