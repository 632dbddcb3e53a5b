/**
 * The watcher's handle on a thread that plays matches.
 *
 *   idle ──play──▶ playing ──report──▶ idle
 *                     └──stopped, or ended by itself──▶ gone
 *
 * A thread that ended a match well plays the next one: starting it costs as much as a short match (its modules are read and
 * compiled, and the first turns run interpreted). Nothing of a match is left in it that a model could reach: each model
 * has an instance and a memory of its own, made for the match.
 */
import { Worker } from "node:worker_threads"
import type { MatchReport } from "./Match.ts"
import type { MatchWork } from "./Playing.ts"

export type End = { readonly kind: "report"; readonly report: MatchReport } | { readonly kind: "ended"; readonly error: string }

const SCRIPT_HEAP_MB = 256
/** After so many a fresh thread, in case something small is left by each. */
const MATCHES_MAX = 200

export class MatchThread {
  readonly #worker: Worker
  #matches = 0
  #gone = false
  #error = ""
  #waiting: ((end: End) => void) | null = null

  constructor() {
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      env: {},
      argv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: SCRIPT_HEAP_MB }
    })
    // What the runtime prints is read by nobody; unread it would pile up from match to match.
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

  /** What the thread has used of the processor so far; null where it does not say. */
  cpu_us(): Promise<number | null> {
    return this.#worker.cpuUsage().then(
      ({ system, user }) => user + system,
      () => null
    )
  }

  /** Ends the thread, whatever it does; a match that it plays then ends as `ended`, unless its report was under way. */
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
