/**
 * A worker thread for computations that would block the event loop. It handles one message at a time, in
 * order. It starts with the first message and has a bounded heap. It is ended when it does not answer in time
 * or when the caller no longer waits; the next message then starts a new one.
 */

import { Worker } from "node:worker_threads"
import { type Duration, Effect, type Scope, Semaphore } from "effect"

export interface Options {
  /** The worker's script, which answers each message with one message. */
  readonly script: URL
  readonly timeout: Duration.Input
  readonly heap_MB: number
}

/** "undecided": the thread ran out of time or memory, or crashed, so nothing is known about the message. */
export type Outcome<Reply> = { readonly reply: Reply } | "undecided"

export const makeThread = <Question, Reply>({
  heap_MB,
  script,
  timeout
}: Options): Effect.Effect<(question: Question) => Effect.Effect<Outcome<Reply>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const one = yield* Semaphore.make(1)
    let worker: Worker | undefined
    const start = (): Worker => {
      const started = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: heap_MB } })
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
      Effect.callback<Outcome<Reply>>((resume) => {
        const asked = (worker ??= start())
        const resumed = (outcome: Outcome<Reply>) => {
          quiet()
          resume(Effect.succeed(outcome))
        }
        const answered = (reply: Reply) => resumed({ reply })
        const undecided = () => resumed("undecided")
        const quiet = () => asked.off("message", answered).off("error", undecided).off("exit", undecided)
        asked.on("message", answered).on("error", undecided).on("exit", undecided)
        asked.postMessage(question)
        return Effect.andThen(Effect.sync(quiet), end) // or its answer would be taken for the answer to the next message
      })
    return (question) =>
      one.withPermits(1)(Effect.timeoutOrElse(ask(question), { duration: timeout, orElse: () => Effect.as(end, "undecided" as const) }))
  })
