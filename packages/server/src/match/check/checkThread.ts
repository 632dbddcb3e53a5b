/** Started by ReplayThread.ts, never imported: checks one replay after another beside the thread that serves requests. */
import { parentPort } from "node:worker_threads"
import { type Reported, replayFault } from "./replayFault.ts"

export interface Question {
  readonly reported: Reported
  readonly bytes: Uint8Array
}

parentPort!.on("message", ({ bytes, reported }: Question) => parentPort!.postMessage(replayFault(reported, bytes)))
