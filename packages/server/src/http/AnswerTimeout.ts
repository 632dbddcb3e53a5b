/**
 * The bound on every answer of the API. Postgres ends what takes it too long, but one that is frozen, a line that was cut in
 * silence or a pool whose connections are all lost say nothing at all, and the driver waits as long as it is let.
 */
import { Context, Effect } from "effect"
import { Unavailable } from "@agon/api/Problem.ts"

/**
 * Milliseconds. Longer than a body may take to arrive and a runner's long poll to end (30 s each) with a statement of the longest kind
 * behind it (15 s), and well within the silence after which a connection is closed (120 s).
 */
export class AnswerTimeout extends Context.Reference<number>("agon/AnswerTimeout_ms", { defaultValue: () => 60_000 }) {}

const tooLong = new Unavailable({ detail: "The answer took too long; try again in a second." })

/** Ends what takes longer, also where whoever asked must not end it; its statement is cancelled, which may take the driver 5 s more. */
export const withAnswerTimeout = <A, E, R>(timeout_ms: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.timeoutOrElse(Effect.interruptible(effect), { duration: timeout_ms, orElse: () => Effect.fail(tooLong) })
