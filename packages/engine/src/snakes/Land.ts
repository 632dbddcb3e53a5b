/**
 * A board prepared for play: read-only tables that all matches on it share. Kept per board object, since a season plays
 * thousands of matches on a few boards; a board is read-only once it has been checked.
 */
import type { SnakesBoard } from "./Board.ts"
import { neighbour } from "./neighbour.ts"

/** Content of a cell of the grid: nothing, the body of a seat (seat + 1), food or a wall. */
export const EMPTY = 0
export const FOOD = 9
export const WALL = 10

export const planes = 12

export interface Land {
  readonly board: SnakesBoard
  readonly seats: number
  readonly cells: number
  /** Number of cells without a wall. */
  readonly open: number
  /** `next[cell * 4 + move]`, -1 off the board. */
  readonly next: Int16Array
  /** The grid at the start. */
  readonly grid: Uint8Array
  readonly spawns: ReadonlyArray<number>
  readonly food: ReadonlyArray<number>
  /** Room for one body, a power of two: every cell of the board, and the head beyond them in the turn it dies. */
  readonly trail_size: number
  /** Planes 0 to 6 of an empty board: zeros, and the walls. */
  readonly scene: Float32Array
  /** Planes 8 to 11 for each set of open moves (bit m = move m). */
  readonly lanes: ReadonlyArray<Float32Array>
}

const lands = new WeakMap<SnakesBoard, Land>()

export const landOf = (board: SnakesBoard): Land => {
  const known = lands.get(board)
  if (known !== undefined) return known
  const land = makeLand(board)
  lands.set(board, land)
  return land
}

const makeLand = (board: SnakesBoard): Land => {
  const cells = board.rows * board.cols
  const number = ([row, col]: readonly [number, number]) => row * board.cols + col
  const next = new Int16Array(cells * 4)
  for (let index = 0; index < next.length; index++) {
    next[index] = neighbour(board.rows, board.cols, board.wrap, index >> 2, index & 3)
  }
  const grid = new Uint8Array(cells)
  const scene = new Float32Array(cells * 7)
  for (const cell of board.walls.map(number)) {
    grid[cell] = WALL
    scene[cells * 6 + cell] = 1
  }
  const food = board.food.map(number)
  for (const cell of food) grid[cell] = FOOD
  const spawns = board.spawns.map(number)
  spawns.forEach((cell, seat) => {
    grid[cell] = seat + 1
  })
  let trail_size = 16
  while (trail_size < cells + 4) trail_size *= 2
  return {
    board,
    seats: board.players,
    cells,
    open: cells - board.walls.length,
    next,
    grid,
    spawns,
    food,
    trail_size,
    scene,
    lanes: lanesOf(cells)
  }
}

const lanes_by_cells = new Map<number, ReadonlyArray<Float32Array>>()

/**
 * Sixteen windows of four planes on one short sequence of planes in which every pattern of four bits occurs once. They
 * depend on the number of cells alone (a few hundred values at most), so all boards of a size share them.
 */
const lanesOf = (cells: number): ReadonlyArray<Float32Array> => {
  const known = lanes_by_cells.get(cells)
  if (known !== undefined) return known
  const pattern = [0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0]
  const sequence = new Float32Array(pattern.length * cells)
  pattern.forEach((bit, index) => {
    sequence.fill(bit, index * cells, (index + 1) * cells)
  })
  const lanes: Array<Float32Array> = []
  for (let index = 0; index < 16; index++) {
    const open = pattern[index]! | (pattern[index + 1]! << 1) | (pattern[index + 2]! << 2) | (pattern[index + 3]! << 3)
    lanes[open] = sequence.subarray(index * cells, (index + 4) * cells)
  }
  lanes_by_cells.set(cells, lanes)
  return lanes
}
