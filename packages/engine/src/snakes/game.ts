import type { Game } from "../Game.ts"
import type { SnakesBoard } from "./Board.ts"
import { snakesBoards } from "./boards.ts"
import { picture } from "./picture.ts"
import type { SnakesState } from "./State.ts"
import { snakes } from "./snakes.ts"

/** The first of the observation's four planes that show where a move meets nothing (docs/games.md#what-a-snake-sees). */
const SAFE_PLANE = 8

export const game: Game<SnakesBoard, SnakesState> = {
  engine: snakes,
  boards: snakesBoards,
  picture,
  isSafe: (observation, action, { rows, cols }) => observation[(SAFE_PLANE + action) * rows * cols] === 1
}
