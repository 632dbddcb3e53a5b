/**
 * A thread for what would hold up the one that serves requests: one question at a time, in turn. It is started with the first
 * question, holds a bounded heap, and one that does not answer, or whose answer nobody waits for, is ended; the next question gets a
 * new one.
 */
import { type Duration, Effect, type Scope, Semaphore } from "effect"
import { Worker } from "node:worker_threads"

export interface Options {
  /** Answers each message with one. */
  readonly script: URL
  readonly timeout: Duration.Input
  readonly heap_MB: number
}

/** "undecided": the thread ran out of time or memory, or crashed, which says nothing certain of the question. */
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
        return Effect.andThen(Effect.sync(quiet), end) // or its answer would be taken for that of the next question
      })
    return (question) =>
      one.withPermits(1)(Effect.timeoutOrElse(ask(question), { duration: timeout, orElse: () => Effect.as(end, "undecided" as const) }))
  })
