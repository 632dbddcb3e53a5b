import type { State } from "../State.ts"
import type { Board } from "./Match.ts"

/** The fewest players of a board among these; Infinity: there is none. */
export const fewestPlayers = ({ boards }: State, isAmong: (board: Board) => boolean): number => {
  let fewest = Infinity
  for (const board of boards.values()) if (isAmong(board)) fewest = Math.min(fewest, board.players)
  return fewest
}
