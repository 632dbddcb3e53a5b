/**
 * The shared memory between the thread that plays a match and the process that watches it. Only the thread
 * writes while it runs; only the watcher writes between two threads. It holds everything that a fresh thread
 * needs to continue: every choice so far and every seat's recurrent memory. The state of the game is not in
 * it, since the rules rebuild it from the choices within microseconds per turn.
 *
 *   STEP     grows with every change of phase; the watcher stops a thread whose STEP does not change for too long
 *   PHASE    the thread's activity, with its SEAT and TURN and the thread's processor time at its start
 */
import type { Choice, StrikeCode } from "@agon/engine/Engine.ts"
import type { Sizes } from "../worker/channel.ts"

export const PHASE = { rules: 0, loading: 1, first_run: 2, run: 3, giving_up: 4 } as const
export type Phase = (typeof PHASE)[keyof typeof PHASE]

export interface LedgerShape {
  readonly turns_max: number
  readonly seats: ReadonlyArray<Sizes>
}

const STRIKES: ReadonlyArray<StrikeCode> = ["timeout", "shape", "non_finite", "crash"]
/** Entries: an action, -1 to -4 for the strikes, or this. */
const UNASKED = -100
const STEP = 0
const PHASE_AT = 1
const SEAT = 2
const TURN = 3
const LOST_AT = 4
const SEATS_MAX = 8
const ENTERED_CPU = 2
const TIMES_AT_BYTES = 64
const ACCOUNTS_AT_BYTES = 128
const DATA_AT_BYTES = ACCOUNTS_AT_BYTES + 8 * SEATS_MAX

const memoryOf = ({ flat, cell, rows, cols }: Sizes) => [flat, cell * rows * cols] as const

export class Ledger {
  readonly buffer: SharedArrayBuffer
  readonly memories: ReadonlyArray<{ readonly flat: Float32Array; readonly cell: Float32Array }>
  readonly #words: Int32Array
  readonly #times: Float64Array
  readonly #accounts: Float64Array
  readonly #entries: Int16Array
  readonly #seats: number

  constructor({ seats, turns_max }: LedgerShape, shared?: SharedArrayBuffer) {
    const counts = seats.map(memoryOf)
    const floats = counts.reduce((sum, [flat, cell]) => sum + flat + cell, 0)
    this.buffer = shared ?? new SharedArrayBuffer(DATA_AT_BYTES + 4 * floats + 2 * turns_max * seats.length)
    let at = DATA_AT_BYTES
    const take = (count: number) => {
      const part = new Float32Array(this.buffer, at, count)
      at += 4 * count
      return part
    }
    this.memories = counts.map(([flat, cell]) => ({ flat: take(flat), cell: take(cell) }))
    this.#words = new Int32Array(this.buffer, 0, LOST_AT + SEATS_MAX)
    this.#times = new Float64Array(this.buffer, TIMES_AT_BYTES, 3)
    this.#accounts = new Float64Array(this.buffer, ACCOUNTS_AT_BYTES, SEATS_MAX)
    this.#entries = new Int16Array(this.buffer, at, turns_max * seats.length)
    this.#seats = seats.length
    if (shared === undefined) this.#entries.fill(UNASKED)
  }

  get step(): number {
    return Atomics.load(this.#words, STEP)
  }
  get phase(): Phase {
    return Atomics.load(this.#words, PHASE_AT) as Phase
  }
  get seat(): number {
    return Atomics.load(this.#words, SEAT)
  }
  /** The current turn. */
  get turn(): number {
    return Atomics.load(this.#words, TURN)
  }
  begin(turn: number): void {
    Atomics.store(this.#words, TURN, turn)
  }
  /** `cpu_us` is the thread's processor time so far. */
  enter(phase: Phase, seat: number, cpu_us: number): void {
    this.#times[ENTERED_CPU] = cpu_us
    Atomics.store(this.#words, SEAT, seat)
    Atomics.store(this.#words, PHASE_AT, phase)
    Atomics.add(this.#words, STEP, 1)
  }

  /** All of it, to be set back to once no thread writes any more. */
  copy(): Uint8Array {
    return new Uint8Array(this.buffer).slice()
  }
  setBack(copy: Uint8Array): void {
    new Uint8Array(this.buffer).set(copy)
  }

  /** The thread's processor time when it entered its phase. */
  get entered_cpu_us(): number {
    return this.#times[ENTERED_CPU]!
  }

  /** The balance of a seat's account, beside each move's own allowance; see Account.ts. */
  account_us(seat: number): number {
    return this.#accounts[seat]!
  }
  settle(seat: number, account_us: number): void {
    this.#accounts[seat] = account_us
  }

  /** A seat's choice in a turn; undefined if it has not been asked yet. */
  choice(turn: number, seat: number): Choice | undefined {
    const entry = this.#entries[turn * this.#seats + seat]!
    if (entry === UNASKED) return undefined
    return entry >= 0 ? entry : STRIKES[-1 - entry]!
  }
  record(turn: number, seat: number, choice: number | StrikeCode): void {
    this.#entries[turn * this.#seats + seat] = typeof choice === "number" ? choice : -1 - STRIKES.indexOf(choice)
  }

  /** The strike of every turn for a seat whose model cannot be loaded, or null. */
  lost(seat: number): StrikeCode | null {
    const word = this.#words[LOST_AT + seat]!
    return word === 0 ? null : STRIKES[word - 1]!
  }
  lose(seat: number, code: StrikeCode): void {
    this.#words[LOST_AT + seat] = 1 + STRIKES.indexOf(code)
  }
  forget(seat: number): void {
    this.memories[seat]!.flat.fill(0)
    this.memories[seat]!.cell.fill(0)
  }

  get played_ms(): number {
    return this.#times[0]!
  }
  get inferring_ms(): number {
    return this.#times[1]!
  }
  spend(played_ms: number, inferring_ms: number): void {
    this.#times[0]! += played_ms
    this.#times[1]! += inferring_ms
  }
}
