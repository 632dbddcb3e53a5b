/** A replay (docs/games.md#replays): a match's inputs, its moves, and its outcome. */
import { canonicalSha256 } from "../canonicalJson.ts"
import type { BoardFile, Engine, MatchEvent, MatchRules } from "../Engine.ts"
import type { Moves, Recorder, Strike } from "./Recorder.ts"

export type { Moves, Strike } from "./Recorder.ts"

/** The models of one seat, 64 hex digits each. */
export interface ReplaySeat {
  readonly weights_sha256: string
  readonly manifest_sha256: string
}

export interface Replay {
  readonly format: "replay/1"
  readonly game: string
  readonly engine_digest: string
  readonly runtime_version: string
  readonly rules: MatchRules
  readonly board: BoardFile
  readonly board_sha256: string
  /** uint32. */
  readonly seed: number
  readonly seats: ReadonlyArray<ReplaySeat>
  readonly moves: ReadonlyArray<Moves>
  /** By turn, then seat. */
  readonly strikes: ReadonlyArray<Strike>
  readonly events: ReadonlyArray<MatchEvent>
  readonly reason: string
  readonly turns: number
  readonly scores: ReadonlyArray<number>
  readonly ranks: ReadonlyArray<number>
  readonly state_sha256: string
}

export interface Played<Board extends BoardFile, State> {
  readonly engine: Engine<Board, State>
  readonly board: Board
  readonly seed: number
  readonly rules: MatchRules
  readonly runtime_version: string
  readonly seats: ReadonlyArray<ReplaySeat>
  readonly recorder: Recorder
  /** The state in which the match ended. */
  readonly state: State
}

export const makeReplay = <Board extends BoardFile, State>(played: Played<Board, State>): Replay => {
  const { engine, recorder, state } = played
  const { reason, turns, scores, ranks } = engine.result(state)
  return {
    format: "replay/1",
    game: engine.slug,
    engine_digest: engine.digest,
    runtime_version: played.runtime_version,
    rules: { max_turns: played.rules.max_turns, strike_limit: played.rules.strike_limit },
    board: played.board,
    board_sha256: canonicalSha256(played.board),
    seed: played.seed,
    seats: played.seats.map(({ weights_sha256, manifest_sha256 }) => ({ weights_sha256, manifest_sha256 })),
    moves: recorder.moves,
    strikes: recorder.strikes,
    events: recorder.events,
    reason,
    turns,
    scores,
    ranks,
    state_sha256: stateSha256(engine, state)
  }
}

export const stateSha256 = <Board extends BoardFile, State>(engine: Engine<Board, State>, state: State): string =>
  canonicalSha256(engine.canonical(state))
