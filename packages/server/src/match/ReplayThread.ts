/**
 * A thread that checks replays, since a long match takes the rules tens of milliseconds, in which no request would be
 * served. It is started with the first replay, holds a bounded heap, and one that does not answer is ended.
 */
import { type Duration, Effect, type Scope, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import type { Reported } from "./replayFault.ts"
import type { Question } from "./checkThread.ts"

const HEAP_MB = 256
const TIMEOUT = "20 seconds"

export type Answer = { readonly fault: string | null } | "undecided"
export type Check = (reported: Reported, bytes: Uint8Array) => Effect.Effect<Answer>

/**
 * One replay at a time. "undecided": the thread ran out of time or memory, or crashed, which says nothing certain of the
 * match; the next replay gets a new thread. `script` is another than ours in tests of that.
 */
export const make = (
  script: URL = new URL("./checkThread.ts", import.meta.url),
  timeout: Duration.Input = TIMEOUT
): Effect.Effect<Check, never, Scope.Scope> =>
  Effect.gen(function* () {
    const one = yield* Semaphore.make(1)
    let worker: Worker | undefined
    const start = (): Worker => {
      const started = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
      const over = () => {
        if (worker === started) worker = undefined
      }
      started.on("error", over).on("exit", over)
      return started
    }
    const end = Effect.promise(() => {
      const ended = worker?.terminate() ?? Promise.resolve(0)
      worker = undefined
      return ended
    })
    yield* Effect.addFinalizer(() => end)
    const ask = (question: Question) =>
      Effect.callback<Answer>((resume) => {
        const asked = (worker ??= start())
        const resumed = (answer: Answer) => {
          quiet()
          resume(Effect.succeed(answer))
        }
        const answered = (fault: string | null) => resumed({ fault })
        const undecided = () => resumed("undecided")
        const quiet = () => asked.off("message", answered).off("error", undecided).off("exit", undecided)
        asked.on("message", answered).on("error", undecided).on("exit", undecided)
        asked.postMessage(question)
        return Effect.sync(quiet)
      })
    return (reported, bytes) =>
      one.withPermits(1)(
        Effect.timeoutOrElse(ask({ reported, bytes }), { duration: timeout, orElse: () => Effect.as(end, "undecided" as const) })
      )
  })
