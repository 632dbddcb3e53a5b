/** Lines of discs: where a seat may place, and which discs turn over. A line ends at a blocked cell as at the edge. */

export const EMPTY = 0
export const BLOCKED = 3

const directions = [
  [-1, -1],
  [-1, 0],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 0],
  [1, 1]
] as const

const rays_by_size = new Map<number, Int16Array>()

/** `rays[cell * 8 + direction]`, -1 off the board. It follows from the sides alone, 49 pairs at most, and is shared. */
export const raysOf = (rows: number, cols: number): Int16Array => {
  const known = rays_by_size.get(rows * 16 + cols)
  if (known !== undefined) return known
  const rays = new Int16Array(rows * cols * 8)
  for (let index = 0; index < rays.length; index++) {
    const cell = index >> 3
    const [down, right] = directions[index & 7]!
    const row = Math.floor(cell / cols) + down
    const col = (cell % cols) + right
    rays[index] = row < 0 || row >= rows || col < 0 || col >= cols ? -1 : row * cols + col
  }
  rays_by_size.set(rows * 16 + cols, rays)
  return rays
}

/** Marks the cells where the seat may place; false if there are none. */
export const legalCells = (grid: Uint8Array, rays: Int16Array, seat: number, legal: Uint8Array): boolean => {
  let any = false
  for (let cell = 0; cell < grid.length; cell++) {
    const may = grid[cell] === EMPTY && turnsAny(grid, rays, cell, seat)
    legal[cell] = may ? 1 : 0
    if (may) any = true
  }
  return any
}

/** Puts a disc down and turns over every line of the other's that it encloses. */
export const place = (grid: Uint8Array, rays: Int16Array, cell: number, seat: number): void => {
  grid[cell] = seat + 1
  for (let direction = 0; direction < 8; direction++) {
    let at = cell
    for (let turned = enclosed(grid, rays, cell, direction, seat); turned > 0; turned--) {
      at = rays[at * 8 + direction]!
      grid[at] = seat + 1
    }
  }
}

const turnsAny = (grid: Uint8Array, rays: Int16Array, cell: number, seat: number): boolean => {
  for (let direction = 0; direction < 8; direction++) if (enclosed(grid, rays, cell, direction, seat) > 0) return true
  return false
}

/** How many of the other's discs lie from here in this direction up to one of the seat's own; 0 if none follows. */
const enclosed = (grid: Uint8Array, rays: Int16Array, cell: number, direction: number, seat: number): number => {
  const other = 2 - seat
  let length = 0
  let at = rays[cell * 8 + direction]!
  while (at >= 0 && grid[at] === other) {
    length++
    at = rays[at * 8 + direction]!
  }
  return at >= 0 && grid[at] === seat + 1 ? length : 0
}
