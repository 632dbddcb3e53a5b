/**
 * The interface of a game. An engine is pure, integer and deterministic: it reads no clock, draws only from the match's own
 * generator (`Mulberry32.ts`), uses no transcendental function, and depends on no Map order that comes from input. Two
 * engines with the same digest agree on every state of every match.
 *
 *   checkBoard ─▶ init ─▶ ┌─ toAct ─▶ observe, legal ─▶ (the seats choose) ─▶ step ─┐ ─▶ result, canonical, view
 *                         └──────────────────────── until status is "over" ◀───────┘
 *
 * A game is one folder beside `snakes/`, and its entries in `registry.ts` (Game.ts).
 */

/** Why a seat's answer did not count. Strikes add up over the whole match. */
export type StrikeCode = "timeout" | "shape" | "non_finite" | "crash"

/** A seat's choice in a turn: an action, a strike, or null if it is not to act or is out. */
export type Choice = number | StrikeCode | null

/** The season's rules that apply to a match. */
export interface MatchRules {
  readonly max_turns: number
  readonly strike_limit: number
}

/** Sizes that follow from a board. `cells` = rows x cols. */
export interface Spec {
  readonly seats: number
  readonly planes: number
  readonly rows: number
  readonly cols: number
  /** Length of the logits. */
  readonly actions: number
  /** Whether `legal` may forbid an action; if false, every action is legal. */
  readonly masked: boolean
  /** The board's own limit, before the rules' `max_turns`. */
  readonly turn_limit: number
}

export interface BoardError {
  readonly path: string
  readonly message: string
}
export type BoardCheck<Board> =
  | { readonly ok: true; readonly board: Board }
  | { readonly ok: false; readonly errors: ReadonlyArray<BoardError> }

/** Facts that a replay tells beside the moves (docs/games.md#replays). */
export type MatchEvent =
  | { readonly turn: number; readonly kind: "out"; readonly seat: number; readonly reason: string }
  | { readonly turn: number; readonly kind: "food"; readonly cell: number }
  | { readonly turn: number; readonly kind: "opening"; readonly seat: number; readonly cell: number }
  | { readonly turn: number; readonly kind: "pass"; readonly seat: number }

export interface MatchResult {
  readonly reason: string
  readonly turns: number
  readonly scores: ReadonlyArray<number>
  /** 1 is best, equal scores share a rank (1, 2, 2, 4), forfeits after all others. */
  readonly ranks: ReadonlyArray<number>
  readonly strikes: ReadonlyArray<number>
}

/** The fields of every board file, whatever its game. */
export interface BoardFile {
  readonly format: string
  readonly map_id: string
  readonly players: number
  readonly rows: number
  readonly cols: number
}

export interface Engine<Board extends BoardFile = BoardFile, State = unknown> {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly players: { readonly min: number; readonly max: number }
  /** 64 hex digits: sha256 over the engine's source files and rules version. */
  readonly digest: string

  /** Reads a board file (untrusted parsed JSON). Names every fault; never throws. */
  readonly checkBoard: (file: unknown) => BoardCheck<Board>
  readonly spec: (board: Board) => Spec
  /** `seed` is a uint32. The state belongs to the caller; `step` changes it in place. */
  readonly init: (board: Board, seed: number, rules: MatchRules) => State
  readonly status: (state: State) => "running" | "over"
  /** Seats to act in this turn, ascending. Empty once the match is over. */
  readonly toAct: (state: State) => ReadonlyArray<number>
  /** Fills `out`, of length planes x rows x cols, with the seat's view, row-major plane by plane. Allocates nothing. */
  readonly observe: (state: State, seat: number, out: Float32Array) => void
  /** Fills `out`, of length actions, with 1 where the action is legal and 0 elsewhere. */
  readonly legal: (state: State, seat: number, out: Uint8Array) => void
  /** The action played for a seat that got a strike. */
  readonly fallback: (state: State, seat: number) => number
  /** Plays one turn, with one choice per seat. Appends its events to `events` if given. */
  readonly step: (state: State, choices: ReadonlyArray<Choice>, events?: Array<MatchEvent>) => void
  /** Events of `init` itself (othello's opening). */
  readonly opening: (state: State) => ReadonlyArray<MatchEvent>
  /** Only once `status` is "over". */
  readonly result: (state: State) => MatchResult
  /** The canonical final state as docs/games.md#replays spells it, ready for canonical JSON; `state_sha256` is over it. */
  readonly canonical: (state: State) => unknown
  /** The state for display, as game-specific plain JSON. */
  readonly view: (state: State) => unknown
}
