/**
 * The watcher's handle on a thread that plays matches.
 *
 *   idle ──play──▶ playing ──report──▶ idle
 *                     └──stopped, or ended by itself──▶ gone
 *
 * A thread that finished a match without a fault plays the next one: starting a thread costs as much as a
 * short match (its modules are read and compiled, and the first turns run interpreted). A model finds nothing
 * left of an earlier match: each has its own instance and memory, made for the match.
 */
import { Worker } from "node:worker_threads"
import { matchThread } from "../places.ts"
import type { MatchReport } from "./Match.ts"
import type { MatchWork } from "./Playing.ts"

export type End = { readonly kind: "report"; readonly report: MatchReport } | { readonly kind: "ended"; readonly error: string }

const SCRIPT_HEAP_MB = 256
/** A fresh thread starts after this many matches, in case each leaks a little. */
const MATCHES_MAX = 200

export class MatchThread {
  readonly #worker: Worker
  #matches = 0
  #gone = false
  #error = ""
  #waiting: ((end: End) => void) | null = null

  constructor() {
    this.#worker = new Worker(matchThread, {
      env: {},
      argv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: SCRIPT_HEAP_MB }
    })
    // The runtime's output is discarded; unread it would accumulate from match to match.
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on("message", (report: MatchReport) => this.#settle({ kind: "report", report }))
    this.#worker.on("error", (error) => (this.#error = String(error)))
    this.#worker.on("exit", () => {
      this.#gone = true
      this.#settle({ kind: "ended", error: this.#error })
    })
  }

  /** Whether it may be given another match. */
  get fit(): boolean {
    return !this.#gone && this.#matches < MATCHES_MAX
  }

  play(work: MatchWork): Promise<End> {
    this.#matches++
    return new Promise((resolve) => {
      if (this.#gone) return resolve({ kind: "ended", error: this.#error })
      this.#waiting = resolve
      this.#worker.postMessage(work)
    })
  }

  /** The thread's processor time so far; null if unknown. */
  cpu_us(): Promise<number | null> {
    return this.#worker.cpuUsage().then(
      ({ system, user }) => user + system,
      () => null
    )
  }

  /** Ends the thread at once; its current match ends as `ended`, unless its report is already under way. */
  stop(): void {
    this.#gone = true
    void this.#worker.terminate()
  }

  #settle(end: End): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.(end)
  }
}
