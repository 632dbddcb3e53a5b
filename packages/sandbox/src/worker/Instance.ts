/** An examination's handle on one thread with one model: what it is given, and its end. Asking and waiting go through the channel. */
import { Worker } from "node:worker_threads"
import { Channel, type Sizes } from "./channel.ts"
import type { InstanceWork } from "./thread.ts"

export interface InstanceModel {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  /** The boards the model will be asked about. */
  readonly boards: ReadonlyArray<Sizes>
}

/** JavaScript is only the glue; what a model needs lies in the runtime's memory. */
const SCRIPT_HEAP_MB = 48

export class Instance {
  readonly channel: Channel
  readonly #thread: Worker

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
    // A thread that dies answers nothing and so runs into its deadline; without a listener it would end the process.
    this.#thread.on("error", () => {})
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
