/**
 * One seat's model over a whole match: loaded once, asked turn by turn, replaced when it has stalled or failed.
 *
 *   loading ──ready──▶ idle ──ask──▶ asked ──answered / shape / non_finite──▶ idle
 *      │                               └──late, failed, exhausted, dead──▶ loading (a fresh thread, memory zeroed)
 *      └──late or refused──▶ lost: every later turn is a strike at once
 *
 * A fresh thread starts from zeroed memory because what the old one held is unknown. After `shape` and `non_finite` the
 * memory stays what it was before the turn. A model that cannot be loaded is not tried again: loading does the same each
 * time, and trying would let one seat hold up the match for `strike_limit` times ten seconds.
 */
import type { StrikeCode } from "@agon/engine/Engine.ts"
import { type Exchange, STATUS, type Status } from "../worker/channel.ts"
import { Seat, type SeatModel } from "../worker/Seat.ts"
import { FIRST_MOVE_EXTRA_MS, LOAD_DEADLINE_MS } from "./Match.ts"

const CODES: Readonly<Record<Status, StrikeCode | null>> = {
  [STATUS.ready]: null,
  [STATUS.answered]: null,
  [STATUS.shape]: "shape",
  [STATUS.non_finite]: "non_finite",
  [STATUS.failed]: "crash",
  [STATUS.exhausted]: "crash"
}

export class Player {
  readonly #model: SeatModel
  readonly #deadline_ms: number
  readonly #ending: Array<Promise<void>> = []
  #seat: Seat
  #exchange: Exchange
  #phase: "loading" | "idle" | "asked" | "lost" = "loading"
  #started_ms = performance.now()
  #lost: StrikeCode = "crash"
  #fresh = true
  #until_ms = 0

  constructor(model: SeatModel, deadline_ms: number) {
    this.#model = model
    this.#deadline_ms = deadline_ms
    this.#seat = new Seat(model)
    this.#exchange = this.#seat.channel.take(0)
  }

  /** Where the next observation goes. */
  get observation(): Float32Array {
    return this.#exchange.observation
  }
  /** After an answer without a strike. */
  get logits(): Float32Array {
    return this.#exchange.logits
  }
  get infer_us(): number {
    return this.#seat.channel.infer_us
  }

  /** Blocks until the model is loaded or known to be lost. */
  load(): void {
    if (this.#phase !== "loading") return
    const { channel } = this.#seat
    const answered = channel.awaitAnswer(this.#started_ms + LOAD_DEADLINE_MS)
    if (answered && channel.status === STATUS.ready) {
      this.#phase = "idle"
    } else this.#lose(answered ? "crash" : "timeout")
  }

  /** Hands over what is in `observation`; the deadline runs from here. */
  ask(): void {
    if (this.#phase !== "idle") return
    this.#until_ms = performance.now() + this.#deadline_ms + (this.#fresh ? FIRST_MOVE_EXTRA_MS : 0)
    this.#seat.channel.ask()
    this.#phase = "asked"
  }

  /** Blocks until the answer or the deadline; null means that `logits` hold the answer. */
  answer(): StrikeCode | null {
    if (this.#phase === "lost") return this.#lost
    if (!this.#seat.channel.awaitAnswer(this.#until_ms)) return this.#replace("timeout")
    const code = CODES[this.#seat.channel.status]
    if (code === "crash") return this.#replace(code)
    this.#phase = "idle"
    this.#fresh = false
    return code
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#ending, this.#seat.stop()])
  }

  #lose(code: StrikeCode): void {
    this.#phase = "lost"
    this.#lost = code
    this.#ending.push(this.#seat.stop())
  }

  #replace(code: StrikeCode): StrikeCode {
    this.#ending.push(this.#seat.stop())
    this.#seat = new Seat(this.#model)
    this.#exchange = this.#seat.channel.take(0)
    this.#started_ms = performance.now()
    this.#phase = "loading"
    return code
  }
}
