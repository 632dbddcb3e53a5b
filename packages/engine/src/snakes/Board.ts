/** The file format of a snakes board, and its reader (docs/games.md#snakes-boards). */
import type { BoardCheck, BoardFile } from "../Engine.ts"
import { Faults, type Members, readBoolean, readCells, readInteger, readObject, readSlug, readString } from "../untrusted.ts"
import { neighbour } from "./neighbour.ts"

export type Cell = readonly [row: number, col: number]

export interface SnakesBoard extends BoardFile {
  readonly format: "snakes-board/1"
  readonly wrap: boolean
  readonly walls: ReadonlyArray<Cell>
  readonly spawns: ReadonlyArray<Cell>
  readonly food: ReadonlyArray<Cell>
  readonly min_food: number
  /** Percent. */
  readonly food_chance: number
  readonly max_turns: number
}

const keys = [
  "format",
  "map_id",
  "players",
  "rows",
  "cols",
  "wrap",
  "walls",
  "spawns",
  "food",
  "min_food",
  "food_chance",
  "max_turns"
] as const

const CELLS_PER_PLAYER_MIN = 8

/** The positions of everything on the board, for the checks of geometry; made once sides and lists are readable. */
interface Layout {
  readonly rows: number
  readonly cols: number
  readonly wrap: boolean
  readonly players: number | undefined
  readonly walls: ReadonlyArray<number>
  readonly spawns: ReadonlyArray<number>
  readonly food: ReadonlyArray<number>
}

export const checkBoard = (file: unknown): BoardCheck<SnakesBoard> => {
  const faults = new Faults()
  const members = readObject(faults, "", file, keys)
  if (members === undefined)
    return { ok: false, errors: faults.list.length > 0 ? faults.list : [{ path: "", message: "must be an object" }] }
  readString(faults, "format", members["format"], /^snakes-board\/1$/, '"snakes-board/1"')
  const map_id = readSlug(faults, "map_id", members["map_id"])
  const layout = readLayout(faults, members)
  if (layout !== undefined) checkLayout(faults, layout)
  const cells_max = layout === undefined ? 25 * 25 : layout.rows * layout.cols
  const min_food = readInteger(faults, "min_food", members["min_food"], 0, cells_max)
  const food_chance = readInteger(faults, "food_chance", members["food_chance"], 0, 100)
  const max_turns = readInteger(faults, "max_turns", members["max_turns"], 50, 1000)
  if (min_food === 0 && food_chance === 0) faults.add("min_food", "must be at least 1 where food_chance is 0, or no food would ever appear")
  if (faults.list.length > 0 || layout === undefined) return { ok: false, errors: faults.list }
  const pair = (cell: number): Cell => [Math.floor(cell / layout.cols), cell % layout.cols]
  const board: SnakesBoard = {
    format: "snakes-board/1",
    map_id: map_id!,
    players: layout.players!,
    rows: layout.rows,
    cols: layout.cols,
    wrap: layout.wrap,
    walls: layout.walls.map(pair),
    spawns: layout.spawns.map(pair),
    food: layout.food.map(pair),
    min_food: min_food!,
    food_chance: food_chance!,
    max_turns: max_turns!
  }
  return { ok: true, board }
}

const readLayout = (faults: Faults, members: Members): Layout | undefined => {
  const players = readInteger(faults, "players", members["players"], 2, 8)
  const rows = readInteger(faults, "rows", members["rows"], 5, 25)
  const cols = readInteger(faults, "cols", members["cols"], 5, 25)
  const wrap = readBoolean(faults, "wrap", members["wrap"])
  if (rows === undefined || cols === undefined) return undefined
  const walls = readCells(faults, "walls", members["walls"], rows, cols)
  const spawns = readCells(faults, "spawns", members["spawns"], rows, cols)
  const food = readCells(faults, "food", members["food"], rows, cols)
  if (wrap === undefined || walls === undefined || spawns === undefined || food === undefined) return undefined
  return { rows, cols, wrap, players, walls, spawns, food }
}

const checkLayout = (faults: Faults, layout: Layout): void => {
  const { players, rows, cols, spawns } = layout
  const is_wall = new Uint8Array(rows * cols)
  for (const cell of layout.walls) if (cell >= 0) is_wall[cell] = 1
  const spawn_at = new Map<number, number>()
  for (const [seat, cell] of spawns.entries()) if (cell >= 0) spawn_at.set(cell, seat)
  if (players !== undefined && spawns.length !== players) {
    faults.add("spawns", `must be one a player: ${players}, not ${spawns.length}`)
  }
  spawns.forEach((cell, seat) => {
    if (cell >= 0) checkSpawn(faults, layout, is_wall, spawn_at, cell, seat)
  })
  layout.food.forEach((cell, index) => {
    if (cell < 0) return
    if (is_wall[cell] === 1) faults.add(`food[${index}]`, "lies on a wall")
    const seat = spawn_at.get(cell)
    if (seat !== undefined) faults.add(`food[${index}]`, `lies on spawns[${seat}]`)
  })
  const open = is_wall.reduce((count, wall) => count + 1 - wall, 0)
  if (players !== undefined && open < CELLS_PER_PLAYER_MIN * players) {
    const needed = CELLS_PER_PLAYER_MIN * players
    faults.add("walls", `leave ${open} cells open; ${players} players need at least ${needed}`)
  }
  const reached = regionSize(layout, is_wall)
  if (reached < open) faults.add("walls", `cut the board apart: ${open - reached} open cells cannot be reached from the first`)
}

const checkSpawn = (
  faults: Faults,
  layout: Layout,
  is_wall: Uint8Array,
  spawn_at: ReadonlyMap<number, number>,
  cell: number,
  seat: number
): void => {
  const at = `spawns[${seat}]`
  if (is_wall[cell] === 1) faults.add(at, "lies on a wall")
  let way_out = false
  const near = new Set<number>()
  for (let move = 0; move < 4; move++) {
    const beside = neighbour(layout.rows, layout.cols, layout.wrap, cell, move)
    if (beside < 0) continue
    const other = spawn_at.get(beside)
    if (other !== undefined) near.add(other)
    else if (is_wall[beside] === 0) way_out = true
  }
  for (const other of near) if (other < seat) faults.add(at, `is fewer than 2 steps from spawns[${other}]`)
  if (!way_out) faults.add(at, "has no neighbour that is neither wall nor spawn")
}

/** How many open cells can be reached from the first open one, four ways, over the edge where the board wraps. */
const regionSize = (layout: Layout, is_wall: Uint8Array): number => {
  const seen = is_wall.slice()
  const first = seen.indexOf(0)
  if (first < 0) return 0
  seen[first] = 1
  const open = [first]
  for (let index = 0; index < open.length; index++) {
    for (let move = 0; move < 4; move++) {
      const beside = neighbour(layout.rows, layout.cols, layout.wrap, open[index]!, move)
      if (beside < 0 || seen[beside] === 1) continue
      seen[beside] = 1
      open.push(beside)
    }
  }
  return open.length
}
