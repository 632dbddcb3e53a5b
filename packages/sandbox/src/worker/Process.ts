/**
 * The runner's handle on one sandbox process: started, given one job after another, killed when it is late.
 *
 *   starting ──ready──▶ idle ──run──▶ busy ──answer──▶ idle
 *       └─────────────────┴─────────────┴──late, dead, killed──▶ gone (its owner starts another)
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Job, JobAnswer } from "../main.ts"
import type { Command } from "./isolation.ts"

/** `late`: killed at its deadline. `died`: ended by itself, or could not be started. */
export type Outcome = JobAnswer | { readonly kind: "late" } | { readonly kind: "died"; readonly detail: string }

const STDERR_CHARACTERS_MAX = 2_000

export class SandboxProcess {
  readonly #child: ChildProcess
  #waiting: ((outcome: Outcome) => void) | null = null
  #gone: string | null = null
  #stderr = ""

  constructor({ command, args, cwd }: Command) {
    // In a process group of its own: Ctrl-C at a terminal reaches the runner alone, which may want the job's answer.
    this.#child = spawn(command, args, {
      cwd,
      env: {},
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
      detached: true
    })
    this.#child.stderr!.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("latin1")).slice(-STDERR_CHARACTERS_MAX)
    })
    this.#child.on("message", (answer: JobAnswer) => this.#settle(answer))
    this.#child.on("error", (error) => this.#end(error.message))
    this.#child.on("exit", (code, signal) => this.#end(`exit ${code ?? signal}`))
  }

  get alive(): boolean {
    return this.#gone === null
  }
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Waits for the process to be up. To be called once, before any `run`. */
  ready(deadline_ms: number): Promise<Outcome> {
    return this.#await(deadline_ms)
  }

  /** One job at a time. After `late` and `died` the process is gone. */
  run(job: Job, deadline_ms: number): Promise<Outcome> {
    const outcome = this.#await(deadline_ms)
    if (this.alive)
      this.#child.send(job, (error) => {
        if (error !== null) this.#end(error.message)
      })
    return outcome
  }

  /** Kills the process; afterwards only the kernel's cleaning up remains. */
  kill(): void {
    this.#end("killed")
    this.#child.kill("SIGKILL")
  }

  #await(deadline_ms: number): Promise<Outcome> {
    return new Promise((resolve) => {
      if (this.#gone !== null) return resolve({ kind: "died", detail: this.#gone })
      const timer = setTimeout(() => {
        this.#settle({ kind: "late" })
        this.kill()
      }, deadline_ms)
      this.#waiting = (outcome) => {
        clearTimeout(timer)
        resolve(outcome)
      }
    })
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.(outcome)
  }

  #end(why: string): void {
    if (this.#gone !== null) return
    this.#gone = `the sandbox process ended (${why}) ${this.#stderr}`.trim()
    this.#settle({ kind: "died", detail: this.#gone })
  }
}
