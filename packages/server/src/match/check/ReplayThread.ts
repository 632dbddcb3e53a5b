/** A thread that checks replays: a long match takes the rules tens of milliseconds. */
import { type Duration, Effect, type Scope } from "effect"
import { makeThread } from "../../process/Thread.ts"
import type { Question } from "./checkThread.ts"
import type { Checked, Reported } from "./replayFault.ts"

const HEAP_MB = 256
const TIMEOUT = "20 seconds"

export type Answer = Checked | "undecided"
export type Check = (reported: Reported, bytes: Uint8Array) => Effect.Effect<Answer>

/** `script` differs from ours only in tests of threads. */
export const make = (
  script: URL = new URL("./checkThread.ts", import.meta.url),
  timeout: Duration.Input = TIMEOUT
): Effect.Effect<Check, never, Scope.Scope> =>
  Effect.map(
    makeThread<Question, Checked>({ script, timeout, heap_MB: HEAP_MB }),
    (ask) => (reported, bytes) => Effect.map(ask({ reported, bytes }), (outcome) => (outcome === "undecided" ? outcome : outcome.reply))
  )
