/**
 * A third game, for tests: the smallest implementation of the interface. Two seats in turn take 1 to 3 counters from a heap
 * of rows x cols; the seat that takes the last one wins. It has a mask and draws who begins.
 */
import { engineDigest } from "../../digest.ts"
import type { BoardFile, Choice, Engine, MatchEvent } from "../../Engine.ts"
import { Mulberry32 } from "../../Mulberry32.ts"
import { ranksOf } from "../../ranking.ts"
import { Faults, readInteger, readObject, readSlug, readString } from "../../untrusted.ts"

export interface NimState {
  readonly rng: Mulberry32
  readonly strike_limit: number
  readonly turn_limit: number
  readonly strikes: [number, number]
  readonly rows: number
  readonly cols: number
  heap: number
  to_act: number
  turn: number
  reason: string | null
  out: number
  last: number
}

const end = (state: NimState, reason: string): void => {
  state.reason = reason
}

const ACTIONS = 3

const isLegal = (state: NimState, seat: number, action: number): boolean =>
  state.reason === null && seat === state.to_act && action >= 0 && action < Math.min(ACTIONS, state.heap)

/** Throws on an illegal action before anything has changed: the caller has the mask. */
const step = (state: NimState, choices: ReadonlyArray<Choice>, events?: Array<MatchEvent>): void => {
  if (state.reason !== null) throw new RangeError("the match is over")
  const seat = state.to_act
  const choice = choices[seat]
  const action = typeof choice === "string" ? 0 : choice
  if (!Number.isInteger(action) || !isLegal(state, seat, action!)) throw new RangeError(`seat ${seat} has no such action: ${choice}`)
  const taken = action! + 1
  if (typeof choice === "string") state.strikes[seat as 0 | 1]++
  state.turn++
  if (state.strikes[seat]! >= state.strike_limit) {
    state.out = seat
    events?.push({ turn: state.turn - 1, kind: "out", seat, reason: "forfeit" })
    return end(state, "forfeit")
  }
  state.heap -= taken
  state.last = seat
  state.to_act = 1 - seat
  if (state.heap === 0) end(state, "taken")
  else if (state.turn === state.turn_limit) end(state, "turn_limit")
}

export const nim: Engine<BoardFile, NimState> = {
  slug: "nim",
  name: "Nim",
  description: "Two seats take one to three counters in turn; who takes the last wins.",
  players: { min: 2, max: 2 },
  digest: engineDigest("nim/1", import.meta.url),
  checkBoard: (file) => {
    const faults = new Faults()
    const members = readObject(faults, "", file ?? null, ["format", "map_id", "players", "rows", "cols"])
    readString(faults, "format", members?.["format"], /^nim-board\/1$/, '"nim-board/1"')
    const map_id = readSlug(faults, "map_id", members?.["map_id"])!
    const players = readInteger(faults, "players", members?.["players"], 2, 2)!
    const rows = readInteger(faults, "rows", members?.["rows"], 1, 9)!
    const cols = readInteger(faults, "cols", members?.["cols"], 1, 9)!
    if (faults.list.length > 0) return { ok: false, errors: faults.list }
    return { ok: true, board: { format: "nim-board/1", map_id, players, rows, cols } }
  },
  spec: ({ rows, cols }) => ({ seats: 2, planes: 1, rows, cols, actions: ACTIONS, masked: true, turn_limit: rows * cols }),
  init: (board, seed, rules) => {
    const rng = new Mulberry32(seed)
    const heap = board.rows * board.cols
    const { strike_limit, max_turns } = rules
    const turn_limit = Math.min(heap, max_turns)
    const { rows, cols } = board
    const begin = { heap, to_act: rng.below(2), turn: 0, reason: null, out: -1, last: -1 }
    return { rng, strike_limit, turn_limit, rows, cols, strikes: [0, 0], ...begin }
  },
  status: (state) => (state.reason === null ? "running" : "over"),
  toAct: (state) => (state.reason === null ? [state.to_act] : []),
  observe: (state, _seat, out) => {
    out.fill(0).fill(1, 0, state.heap)
  },
  legal: (state, seat, out) => {
    for (let action = 0; action < ACTIONS; action++) out[action] = isLegal(state, seat, action) ? 1 : 0
  },
  fallback: () => 0,
  step,
  opening: () => [],
  result: (state) => {
    if (state.reason === null) throw new RangeError("the match is not over")
    const scores = [0, 1].map((seat) => (state.reason === "taken" && state.last === seat ? 1 : 0))
    const forfeited = [0, 1].map((seat) => state.out === seat)
    return { reason: state.reason, turns: state.turn, scores, ranks: ranksOf(scores, forfeited), strikes: [...state.strikes] }
  },
  canonical: ({ rng, heap, to_act, turn, reason, out, strikes }) => ({
    format: "nim-state/1",
    rng: rng.counter,
    heap,
    to_act,
    turn,
    reason,
    out: out < 0 ? null : out,
    strikes: [...strikes]
  }),
  view: ({ rows, cols, heap, to_act, turn, reason }) => ({ format: "nim-view/1", rows, cols, heap, to_act, turn, reason })
}
