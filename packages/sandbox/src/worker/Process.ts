/**
 * The runner's handle on one sandbox process: started, given one job after another, killed when it is late.
 *
 *   starting ──ready──▶ idle ──run──▶ busy ──answer──▶ idle
 *       └─────────────────┴─────────────┴──late, dead, killed──▶ gone (its owner starts another)
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Job, JobAnswer } from "../main.ts"
import type { Command } from "./isolation.ts"

/**
 * `late`: killed at its deadline. `died`: ended by itself, or its program cannot be run. `unstarted`: the machine had nothing
 * to start it with, such as memory or a file descriptor, which says nothing about the command.
 */
export type Outcome =
  | JobAnswer
  | { readonly kind: "late" }
  | { readonly kind: "died"; readonly detail: string }
  | { readonly kind: "unstarted"; readonly detail: string }

const STDERR_CHARACTERS_MAX = 2_000
/** Refusals that Node tells as an event; all others but that of a missing program are thrown. */
const SCARCE: ReadonlyArray<string | undefined> = ["EAGAIN", "EMFILE", "ENFILE"]

type Gone = Extract<Outcome, { readonly kind: "died" | "unstarted" }>

// In a process group of its own: Ctrl-C at a terminal reaches the runner alone, which may want the job's answer.
const started = ({ args, command, cwd }: Command): ChildProcess =>
  spawn(command, args, { cwd, env: {}, stdio: ["ignore", "ignore", "pipe", "ipc"], serialization: "advanced", detached: true })

export class SandboxProcess {
  /** Null if it could not be started at all. */
  readonly #child: ChildProcess | null
  #waiting: ((outcome: Outcome) => void) | null = null
  #gone: Gone | null = null
  #stderr = ""

  /** Never throws: a start that fails is the outcome of `ready`. */
  constructor(command: Command) {
    this.#child = this.#start(command)
  }

  #start(command: Command): ChildProcess | null {
    try {
      const child = started(command)
      // Before all else: an error that nobody listens to would end the whole program.
      child.on("error", ({ code, message }: NodeJS.ErrnoException) => this.#end(message, SCARCE.includes(code) ? "unstarted" : "died"))
      child.on("message", (answer: JobAnswer) => this.#settle(answer))
      child.on("exit", (code, signal) => this.#end(`exit ${code ?? signal}`))
      // A process for which there was no file descriptor has none.
      child.stderr?.on("data", (chunk: Buffer) => {
        this.#stderr = (this.#stderr + chunk.toString("latin1")).slice(-STDERR_CHARACTERS_MAX)
      })
      return child
    } catch (error) {
      this.#end(String(error), "unstarted")
      return null
    }
  }

  get alive(): boolean {
    return this.#gone === null
  }
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Waits for the process to be up. To be called once, before any `run`. */
  ready(deadline_ms: number): Promise<Outcome> {
    return this.#await(deadline_ms)
  }

  /** One job at a time. After `late` and `died` the process is gone. */
  run(job: Job, deadline_ms: number): Promise<Outcome> {
    const outcome = this.#await(deadline_ms)
    if (this.alive)
      this.#child?.send(job, (error) => {
        if (error !== null) this.#end(error.message)
      })
    return outcome
  }

  /** Kills the process; afterwards only the kernel's cleaning up remains. */
  kill(): void {
    this.#end("killed")
    this.#child?.kill("SIGKILL")
  }

  #await(deadline_ms: number): Promise<Outcome> {
    return new Promise((resolve) => {
      if (this.#gone !== null) return resolve(this.#gone)
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

  #end(why: string, kind: Gone["kind"] = "died"): void {
    if (this.#gone !== null) return
    const gone: Gone = { kind, detail: `the sandbox process ended (${why}) ${this.#stderr}`.trim() }
    this.#gone = gone
    this.#settle(gone)
  }
}
