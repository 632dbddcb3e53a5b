import { drawPosition } from "../../drawing.ts"
import type { BoardFile } from "../../Engine.ts"
import type { Game } from "../../Game.ts"
import { type NimState, nim } from "./nim.ts"

interface View extends Pick<NimState, "heap" | "reason" | "to_act" | "turn"> {
  readonly rows: number
  readonly cols: number
}

/** A counter that is left is `o`. */
const picture = (view: unknown, names: ReadonlyArray<string>): string => {
  const { cols, heap, rows, to_act, ...turn } = view as View
  const cells = Array.from({ length: rows * cols }, (_, cell) => (cell < heap ? "o" : "."))
  const lines = names.map((name, seat) => `${name}${seat === to_act ? "  to take" : ""}`)
  return drawPosition(turn, cells, cols, lines)
}

const heap = (map_id: string, rows: number, cols: number): BoardFile => ({ format: "nim-board/1", map_id, players: 2, rows, cols })

export const game: Game<BoardFile, NimState> = { engine: nim, boards: [heap("heap-21", 3, 7), heap("heap-64", 8, 8)], picture }
