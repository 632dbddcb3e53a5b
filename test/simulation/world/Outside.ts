/**
 * Calls of a store that take real time. Each waits until nothing else can happen, and is then made alone, in the order in which
 * they were asked for. How long an answer takes depends on the machine; the season's course in between must not.
 */
import { Effect } from "effect"

export interface Outside {
  /** The call, once it is let out. */
  readonly call: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Lets out the call that has waited longest, and waits until it is over; false where none waits. */
  readonly next: Effect.Effect<boolean>
}

export const make = (): Outside => {
  const waiting = new Set<() => void>()
  let over = (): void => undefined
  const turn = Effect.callback<void>((resume) => {
    const begin = () => resume(Effect.void)
    waiting.add(begin)
    return Effect.sync(() => void waiting.delete(begin))
  })
  return {
    call: (call) =>
      Effect.andThen(
        turn,
        Effect.onExit(call, () => Effect.sync(() => over()))
      ),
    next: Effect.callback<boolean>((resume) => {
      const [first] = waiting
      if (first === undefined) return resume(Effect.succeed(false))
      waiting.delete(first)
      over = () => void setImmediate(() => resume(Effect.succeed(true))) // whoever called has gone on by then
      first()
    })
  }
}
