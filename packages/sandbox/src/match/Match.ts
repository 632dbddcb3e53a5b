/** What a match is played from and what comes of it (docs/contract.md#results). */
import type { MatchRules } from "@agon/engine/Engine.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"

export interface MatchSeat {
  readonly weights: Uint8Array
  /** The manifest file as it was uploaded. */
  readonly manifest: Uint8Array
  /** The most the seat's instance may hold, weights and activations and the runtime itself. */
  readonly memory_cap_bytes: number
}

export interface MatchRequest {
  readonly game: string
  /** Parsed JSON; the engine checks it. */
  readonly board: unknown
  /** uint32. */
  readonly seed: number
  readonly rules: MatchRules
  readonly seats: ReadonlyArray<MatchSeat>
  /** For one move, of the processor's time; `MOVE_DEADLINE_MS` where absent. */
  readonly move_deadline_ms?: number
  /** The season's `infer_us_max`, by which moves are charged (`Account.ts`); they are not where it is absent. */
  readonly infer_us_max?: number
  /**
   * Timeouts of a match that is played again (audit, `verify --weights`): these strikes are given instead of asking, since they came
   * from the other machine's time, and the seat's memory is zeroed as it was then. All else that a model does wrong it does again
   * by itself. This machine's time strikes nobody: nothing is charged, and deadlines are `AGAIN_FACTOR` times as long.
   */
  readonly timeouts?: ReadonlyArray<{ readonly turn: number; readonly seat: number }>
}

export interface SeatReport {
  readonly seat: number
  readonly score: number
  readonly rank: number
  readonly strikes: number
}

export interface MatchReport {
  readonly reason: string
  readonly turns: number
  /** From the first move to the last, loading left out. */
  readonly played_ms: number
  /** How much of it was spent inside models; the rest is our own. */
  readonly inferring_ms: number
  readonly seats: ReadonlyArray<SeatReport>
  readonly state_sha256: string
  readonly replay: Replay
}

/** Deadlines are on what the thread uses of the processor, so a busy machine makes nobody late. */
export const MOVE_DEADLINE_MS = 1_000
/** A model's first run allocates and packs; it may take this much longer. */
export const FIRST_RUN_EXTRA_MS = 2_000
export const LOAD_DEADLINE_MS = 10_000
/**
 * In a match that is played again. A model that answered in time on one machine does so here within this, unless the match was never
 * played with it: a model that hangs now and has no timeout in the replay gets one, and the two matches differ.
 */
export const AGAIN_FACTOR = 30
