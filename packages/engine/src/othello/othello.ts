/** Othello: 2 seats in turn, on boards of any even size with blocked cells (docs/games.md#othello). */
import { engineDigest } from "../digest.ts"
import type { Choice, Engine, MatchEvent, Spec } from "../Engine.ts"
import { checkBoard, type OthelloBoard } from "./Board.ts"
import { BLOCKED, place } from "./lines.ts"
import { canonical, end, giveTurn, init, type OthelloState, result, view } from "./State.ts"

const NOBODY: ReadonlyArray<number> = []
const ONE_SEAT: ReadonlyArray<ReadonlyArray<number>> = [[0], [1]]

const spec = (board: OthelloBoard): Spec => ({
  seats: 2,
  planes: 5,
  rows: board.rows,
  cols: board.cols,
  actions: board.rows * board.cols,
  masked: true,
  // Every turn but the last fills a cell, so a match never reaches this limit.
  turn_limit: board.rows * board.cols
})

/** Own discs, the other's, legal cells, blocked cells, and 1 everywhere for seat 0. */
const observe = (state: OthelloState, seat: number, out: Float32Array): void => {
  const { grid, legal } = state
  const cells = grid.length
  const acting = state.to_act === seat
  const black = seat === 0 ? 1 : 0
  for (let cell = 0; cell < cells; cell++) {
    const content = grid[cell]
    out[cell] = content === seat + 1 ? 1 : 0
    out[cells + cell] = content === 2 - seat ? 1 : 0
    out[cells * 2 + cell] = acting ? legal[cell]! : 0
    out[cells * 3 + cell] = content === BLOCKED ? 1 : 0
    out[cells * 4 + cell] = black
  }
}

const fallback = (state: OthelloState): number => state.legal.indexOf(1)

/** Throws on an illegal action before anything has changed: the caller has the mask. */
const step = (state: OthelloState, choices: ReadonlyArray<Choice>, events?: Array<MatchEvent>): void => {
  if (state.reason !== null) throw new RangeError("the match is over")
  const seat = state.to_act
  const side = state.sides[seat]!
  const choice = choices[seat]
  if (typeof choice === "number" ? state.legal[choice] !== 1 : typeof choice !== "string") {
    throw new RangeError(`seat ${seat} may not place at ${choice}`)
  }
  if (typeof choice === "string") side.strikes++
  if (typeof choice === "string" && side.strikes >= state.strike_limit) {
    side.out = "forfeit"
    events?.push({ turn: state.turn, kind: "out", seat, reason: "forfeit" })
    state.turn++
    end(state, "forfeit")
    return
  }
  place(state.grid, state.rays, typeof choice === "number" ? choice : fallback(state), seat)
  state.turn++
  giveTurn(state, 1 - seat, events)
}

export const othello: Engine<OthelloBoard, OthelloState> = {
  slug: "othello",
  name: "Othello",
  description: "Two seats place discs in turn and turn over the lines they enclose; most discs at the end win.",
  players: { min: 2, max: 2 },
  digest: engineDigest("othello/1", import.meta.url),
  checkBoard,
  spec,
  init,
  status: (state) => (state.reason === null ? "running" : "over"),
  toAct: (state) => (state.to_act < 0 ? NOBODY : ONE_SEAT[state.to_act]!),
  observe,
  legal: (state, seat, out) => {
    if (state.to_act === seat) out.set(state.legal)
    else out.fill(0)
  },
  fallback,
  step,
  opening: (state) => state.opening,
  result,
  canonical,
  view
}
