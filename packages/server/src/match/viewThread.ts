/** Started by Replays.ts, never imported: makes the picture of a replay's last state, as JSON; `null` where there is none. */

import { parentPort } from "node:worker_threads"
import { lastView } from "@agon/engine/replay/verify.ts"
import { Option } from "effect"

const parse = Option.liftThrowable((bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes)))

const viewOf = (bytes: Uint8Array): string => {
  const replay = parse(bytes)
  return JSON.stringify(Option.isSome(replay) ? lastView(replay.value) : null)
}

parentPort!.on("message", (bytes: Uint8Array) => parentPort!.postMessage(viewOf(bytes)))
