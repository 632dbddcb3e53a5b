/**
 * The time limit of every answer of the API. Postgres ends statements that take too long, but a frozen server, a silently cut
 * connection or a pool that has lost all its connections give no answer at all, and the driver has no time-out of its own.
 */

import { Unavailable } from "@agon/api/Problem.ts"
import { Context, Effect, Fiber } from "effect"

/**
 * Milliseconds. Longer than the arrival of a body or a runner's long poll (30 s each) followed by the longest statement (15 s), and well
 * within the idle time after which a connection is closed (120 s).
 */
export class AnswerTimeout extends Context.Reference<number>("agon/AnswerTimeout_ms", { defaultValue: () => 60_000 }) {}

const tooLong = new Unavailable({ detail: "The answer took too long; try again in a second." })

/**
 * Ends an effect that takes longer, even one that its caller cannot interrupt; cancelling its statement may take the driver 5 s more.
 * Most of a request runs without a pause, and what ends so needs no timer.
 */
export const withAnswerTimeout = <A, E, R>(timeout_ms: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E | Unavailable>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return resume(exit)
      const end = Fiber.interrupt(fiber)
      const timer = setTimeout(() => resume(Effect.uninterruptible(Effect.andThen(end, Effect.fail(tooLong)))), timeout_ms)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return end // where the caller is interrupted
    })
  )
