/** Inputs and outcome of a match (docs/contract.md#results). */
import type { MatchRules } from "@agon/engine/Engine.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"

export interface MatchSeat {
  readonly weights: Uint8Array
  /** The manifest file as it was uploaded. */
  readonly manifest: Uint8Array
  /** Memory cap of the seat's instance: weights, activations and the runtime itself. */
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
  /** Processor time of one move; default `MOVE_DEADLINE_MS`. */
  readonly move_deadline_ms?: number
  /** The season's `infer_us_max`, against which moves are charged (`Account.ts`); without it they are not charged. */
  readonly infer_us_max?: number
  /**
   * Timeouts of a match that is played again (audit, `verify --weights`). In these turns the seat gets
   * the strike without being asked, and its memory is zeroed, because timeouts depend on the first
   * machine. A model repeats its other faults by itself. Nothing is charged, and deadlines are
   * `AGAIN_FACTOR` times as long.
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
  /** From the first move to the last, without loading. */
  readonly played_ms: number
  /** The part of it spent in models; the rest is ours. */
  readonly inferring_ms: number
  readonly seats: ReadonlyArray<SeatReport>
  readonly state_sha256: string
  readonly replay: Replay
}

/** Deadlines are on the thread's processor time, so a busy machine causes no timeouts. */
export const MOVE_DEADLINE_MS = 1_000
/** A model's first run allocates and packs; it may take this much longer. */
export const FIRST_RUN_EXTRA_MS = 2_000
export const LOAD_DEADLINE_MS = 10_000
/**
 * For a match that is played again. A model that answered in time on the first machine answers within this
 * here. A model that hangs now without a timeout in the replay gets one, and the matches differ: the replay
 * was not made with this model.
 */
export const AGAIN_FACTOR = 30
