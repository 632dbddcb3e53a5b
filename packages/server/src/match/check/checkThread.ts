/** Started by ReplayThread.ts, never imported: checks one replay after another beside the thread that serves requests. */
import { parentPort } from "node:worker_threads"
import { checked, type Reported } from "./replayFault.ts"

export interface Question {
  readonly reported: Reported
  readonly bytes: Uint8Array
}

parentPort!.on("message", ({ bytes, reported }: Question) => parentPort!.postMessage(checked(reported, bytes)))
