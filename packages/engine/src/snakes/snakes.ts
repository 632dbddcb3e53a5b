/** Snakes: 2 to 8 seats that move at once (docs/games.md#snakes). */
import { engineDigest } from "../digest.ts"
import type { Engine, Spec } from "../Engine.ts"
import { checkBoard, type SnakesBoard } from "./Board.ts"
import { planes } from "./Land.ts"
import { observe } from "./observe.ts"
import { canonical, init, result, type SnakesState, view } from "./State.ts"
import { fallback, step } from "./step.ts"

const NOBODY: ReadonlyArray<number> = []

const spec = (board: SnakesBoard): Spec => ({
  seats: board.players,
  planes,
  rows: board.rows,
  cols: board.cols,
  actions: 4,
  masked: false,
  turn_limit: board.max_turns
})

export const snakes: Engine<SnakesBoard, SnakesState> = {
  slug: "snakes",
  name: "Snakes",
  description: "Two to eight snakes on one board move at once, eat to live and outlast the others.",
  players: { min: 2, max: 8 },
  digest: engineDigest("snakes/1", import.meta.url),
  checkBoard,
  spec,
  init,
  status: (state) => (state.reason === null ? "running" : "over"),
  toAct: (state) => (state.reason === null ? state.living : NOBODY),
  observe,
  legal: (_state, _seat, out) => {
    out.fill(1)
  },
  fallback: (state, seat) => fallback(state.snakes[seat]!),
  step,
  opening: () => [],
  result,
  canonical,
  view
}
