/**
 * An examination's handle on one thread with one model. Requests go through the channel. Waiting counts the thread's
 * processor time, so a model is late only by its own work.
 */
import { Worker } from "node:worker_threads"
import { instanceThread } from "../places.ts"
import { Channel, type Sizes } from "./channel.ts"
import type { InstanceWork } from "./thread.ts"

export interface InstanceModel {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  /** The boards that the model will be run on. */
  readonly boards: ReadonlyArray<Sizes>
  readonly arena: boolean
  readonly poison: number
}

/**
 * How waiting for an answer ends. `spent`: the thread has used all of its processor time. `exhausted`: it ran
 * out of memory for scripts. `gone`: it ended for another reason, which says nothing about the model.
 */
export type Waited = "answered" | "spent" | "exhausted" | "gone"

/** For JavaScript, which is only glue; a model's data are in the runtime's memory. */
const SCRIPT_HEAP_MB = 48
/** Blocks no longer than this at a time, so that the end of a thread is noticed. */
const WAIT_MS = 5

export class Instance {
  readonly channel: Channel
  readonly #thread: Worker
  #end: "exhausted" | "gone" | null = null

  constructor(model: InstanceModel) {
    this.channel = new Channel(model.boards)
    const workerData: InstanceWork = { ...model, channel: this.channel.buffer }
    this.#thread = new Worker(instanceThread, {
      workerData,
      env: {},
      argv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: SCRIPT_HEAP_MB, maxYoungGenerationSizeMb: 16 }
    })
    this.#thread.on("error", (error: NodeJS.ErrnoException) => {
      this.#end = error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "exhausted" : "gone"
    })
    this.#thread.on("exit", () => {
      this.#end ??= "gone"
    })
  }

  /** Waits for the answer, or until the thread has used `cpu_max_ms` since its last answer. */
  async answer(cpu_max_ms: number): Promise<Waited> {
    const max_us = this.channel.cpu_us + cpu_max_ms * 1_000
    for (;;) {
      if (this.channel.hasAnswer(WAIT_MS)) return "answered"
      if (this.#end !== null) return this.#end
      if ((await this.#cpu_us()) > max_us) return this.channel.hasAnswer(0) ? "answered" : "spent"
    }
  }

  /** The thread's processor time so far; 0 if unknown, before its start and after its end. */
  #cpu_us(): Promise<number> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WAIT_MS, 0)
      const settle = (cpu_us: number) => {
        clearTimeout(timer)
        setImmediate(resolve, cpu_us)
      }
      this.#thread.cpuUsage().then(
        ({ user, system }) => settle(user + system),
        () => settle(0)
      )
    })
  }

  /** Ends the thread at once. Its memory is free once the promise resolves. */
  async stop(): Promise<void> {
    await this.#thread.terminate()
  }
}

/** Weights in shared memory, so that all threads of the process read one copy. */
export const share = (bytes: Uint8Array): SharedArrayBuffer => {
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}
