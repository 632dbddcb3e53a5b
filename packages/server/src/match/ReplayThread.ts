/**
 * A thread that checks replays, since a long match takes the rules tens of milliseconds, in which no request would be
 * served. It is started with the first replay, holds a bounded heap, and one that does not answer is ended.
 */
import { Effect, type Scope, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import type { Reported } from "./replayFault.ts"
import type { Question } from "./checkThread.ts"

const HEAP_MB = 256
const TIMEOUT = "20 seconds"

export type Check = (reported: Reported, bytes: Uint8Array) => Effect.Effect<{ readonly fault: string | null } | "undecided">

/** One replay at a time. "undecided": the thread ran out of time or memory, which says nothing certain of the match. */
export const make: Effect.Effect<Check, never, Scope.Scope> = Effect.gen(function* () {
  const one = yield* Semaphore.make(1)
  let worker: Worker | undefined
  const end = Effect.promise(() => {
    const ended = worker?.terminate() ?? Promise.resolve(0)
    worker = undefined
    return ended
  })
  yield* Effect.addFinalizer(() => end)
  const ask = (question: Question) =>
    Effect.callback<{ readonly fault: string | null } | "undecided">((resume) => {
      worker ??= new Worker(new URL("./checkThread.ts", import.meta.url), { env: {}, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
      const asked = worker
      const undecided = () => {
        worker = undefined
        resume(Effect.succeed("undecided" as const))
      }
      asked.removeAllListeners()
      asked.once("message", (fault: string | null) => resume(Effect.succeed({ fault })))
      asked.once("error", undecided).once("exit", undecided)
      asked.postMessage(question)
    })
  return (reported, bytes) =>
    one.withPermits(1)(
      Effect.timeoutOrElse(ask({ reported, bytes }), { duration: TIMEOUT, orElse: () => Effect.as(end, "undecided" as const) })
    )
})
