/**
 * An examination's handle on one thread with one model. Asking goes through the channel; waiting counts what the thread uses of
 * the processor, so a model is late by its own work and not by what else the machine does.
 */
import { Worker } from "node:worker_threads"
import { Channel, type Sizes } from "./channel.ts"
import type { InstanceWork } from "./thread.ts"

export interface InstanceModel {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  /** The boards the model will be asked about. */
  readonly boards: ReadonlyArray<Sizes>
  readonly arena: boolean
  readonly poison: number
}

/**
 * How waiting for an answer ends. `spent`: the thread has used all that it may. `exhausted`: it ran out of memory for scripts.
 * `gone`: it ended for another reason, which says nothing about the model.
 */
export type Waited = "answered" | "spent" | "exhausted" | "gone"

/** JavaScript is only the glue; what a model needs lies in the runtime's memory. */
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
    this.#thread = new Worker(new URL("./thread.ts", import.meta.url), {
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

  /** Waits until the answer is there, or the thread has used `cpu_max_ms` more than at its last answer. */
  async answer(cpu_max_ms: number): Promise<Waited> {
    const max_us = this.channel.cpu_us + cpu_max_ms * 1_000
    for (;;) {
      if (this.channel.hasAnswer(WAIT_MS)) return "answered"
      if (this.#end !== null) return this.#end
      if ((await this.#cpu_us()) > max_us) return this.channel.hasAnswer(0) ? "answered" : "spent"
    }
  }

  /** What the thread has used so far; 0 where it does not say, as one that is about to begin or has ended. */
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

  /** Ends the thread, whatever it does. Its memory is free once the promise resolves. */
  async stop(): Promise<void> {
    await this.#thread.terminate()
  }
}

/** Weights where every thread of the process can read them without a copy each. */
export const share = (bytes: Uint8Array): SharedArrayBuffer => {
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}
