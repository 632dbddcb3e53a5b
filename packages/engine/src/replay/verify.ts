/**
 * Replays a match by the rules alone. The inputs are board, rules, seed, moves and strikes; everything else in the replay
 * is computed again and compared. Takes untrusted parsed JSON and never throws on it.
 */
import { canonicalJson, canonicalSha256 } from "../canonicalJson.ts"
import type { BoardError, Choice, Engine, MatchEvent, MatchResult } from "../Engine.ts"
import { engineOf } from "../registry.ts"
import { Faults } from "../untrusted.ts"
import { type Replay, stateSha256 } from "./Replay.ts"
import { type FindEngine, readReplay } from "./readReplay.ts"

/** The outcome by the rules. `strikes` counts each seat's strikes over the match. */
export interface Summary extends MatchResult {
  readonly state_sha256: string
}

export interface Refused {
  readonly ok: false
  readonly problems: ReadonlyArray<BoardError>
}

export type Summarized = ({ readonly ok: true } & Summary) | Refused

/** Whether everything in the replay agrees with the rules and this build's engine. */
export const verify = (value: unknown, find: FindEngine = engineOf): Summarized => {
  const read = readReplay(value, find)
  if (!read.ok) return read
  const { replay, engine } = read
  const faults = new Faults()
  expect(faults, "engine_digest", replay.engine_digest, engine.digest)
  expect(faults, "board_sha256", replay.board_sha256, canonicalSha256(replay.board))
  const events: Array<MatchEvent> = []
  const run = rerun(replay, engine, events)
  if (!run.ok) return { ok: false, problems: [...faults.list, ...run.problems] }
  const { summary } = run
  expect(faults, "reason", replay.reason, summary.reason)
  expect(faults, "turns", replay.turns, summary.turns)
  expectEach(faults, "scores", replay.scores, summary.scores)
  expectEach(faults, "ranks", replay.ranks, summary.ranks)
  expectEach(faults, "events", replay.events, events)
  expect(faults, "state_sha256", replay.state_sha256, summary.state_sha256)
  return faults.list.length > 0 ? { ok: false, problems: faults.list } : { ok: true, ...summary }
}

/** The outcome of the match, computed from moves and strikes. The replay's own claims are ignored. */
export const summarize = (value: unknown, find: FindEngine = engineOf): Summarized => {
  const read = readReplay(value, find)
  if (!read.ok) return read
  const run = rerun(read.replay, read.engine)
  return run.ok ? { ok: true, ...run.summary } : run
}

/**
 * The engine's view after `turn` turns (0 = the start); null if the match has no such turn or does not reach the state that
 * the replay names.
 */
export const frameAt = (value: unknown, turn: number, find: FindEngine = engineOf): unknown => {
  const read = readReplay(value, find)
  if (!read.ok) return null
  let frame: unknown = null
  const run = rerun(read.replay, read.engine, undefined, (state, turns) => {
    if (turns === turn) frame = read.engine.view(state)
  })
  return run.ok && run.summary.state_sha256 === read.replay.state_sha256 ? frame : null
}

/** The view of the last state, or null as in `frameAt`. */
export const lastView = (value: unknown, find: FindEngine = engineOf): unknown => {
  const moves = (value as { readonly moves?: unknown } | null | undefined)?.moves
  return Array.isArray(moves) ? frameAt(value, moves.length, find) : null
}

type Rerun = { readonly ok: true; readonly summary: Summary } | Refused

const rerun = (
  replay: Replay,
  engine: Engine<any, any>,
  events?: Array<MatchEvent>,
  watch?: (state: unknown, turns: number) => void
): Rerun => {
  const { board, seed, rules, moves, strikes } = replay
  const { seats, actions, masked } = engine.spec(board)
  const legal = masked ? new Uint8Array(actions) : undefined
  const choices: Array<Choice> = new Array(seats).fill(null)
  const faults = new Faults()
  const state = engine.init(board, seed, rules)
  events?.push(...engine.opening(state))
  watch?.(state, 0)
  let struck = 0
  for (let turn = 0; turn < moves.length; turn++) {
    if (engine.status(state) === "over") {
      faults.add(`moves[${turn}]`, `comes after the end: the match was over after ${turn} turns`)
      return { ok: false, problems: faults.list }
    }
    for (let seat = 0; seat < seats; seat++) choices[seat] = moves[turn]![seat]!
    for (; struck < strikes.length && strikes[struck]!.turn === turn; struck++) {
      const { seat, code } = strikes[struck]!
      if (choices[seat] !== null) faults.add(`strikes[${struck}]`, `stands beside an action of seat ${seat} in the same turn`)
      choices[seat] = code
    }
    checkChoices(faults, engine, state, turn, choices, legal)
    if (faults.list.length > 0) return { ok: false, problems: faults.list }
    engine.step(state, choices, events)
    watch?.(state, turn + 1)
  }
  if (engine.status(state) !== "over") {
    faults.add("moves", `end too early: the match is not over after ${moves.length} turns`)
    return { ok: false, problems: faults.list }
  }
  return { ok: true, summary: { ...engine.result(state), state_sha256: stateSha256(engine, state) } }
}

/** Every seat to act has a legal action or a strike, and no other seat has either. */
const checkChoices = (
  faults: Faults,
  engine: Engine<any, any>,
  state: unknown,
  turn: number,
  choices: ReadonlyArray<Choice>,
  legal: Uint8Array | undefined
): void => {
  const acting = engine.toAct(state)
  for (let seat = 0; seat < choices.length; seat++) {
    const choice = choices[seat]
    const path = `moves[${turn}][${seat}]`
    if (!acting.includes(seat)) {
      if (choice !== null) faults.add(path, "the seat is not to act in this turn")
    } else if (choice === null) faults.add(path, "the seat is to act in this turn and has neither action nor strike")
    else if (typeof choice === "number" && legal !== undefined) {
      engine.legal(state, seat, legal)
      if (legal[choice] !== 1) faults.add(path, `action ${choice} is not legal here`)
    }
  }
}

const expect = (faults: Faults, path: string, told: unknown, found: unknown): void => {
  if (told === found) return
  const [a, b] = [canonicalJson(told), canonicalJson(found)]
  if (a !== b) faults.add(path, `is ${a}; by the rules it is ${b}`)
}

/** Reports only the first difference, since the others mostly follow from it. */
const expectEach = (faults: Faults, path: string, told: ReadonlyArray<unknown>, found: ReadonlyArray<unknown>): void => {
  const shorter = Math.min(told.length, found.length)
  for (let index = 0; index < shorter; index++) {
    const before = faults.list.length
    expect(faults, `${path}[${index}]`, told[index], found[index])
    if (faults.list.length > before) return
  }
  if (told.length !== found.length) faults.add(path, `has ${told.length} entries; by the rules it has ${found.length}`)
}
