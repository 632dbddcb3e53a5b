/**
 * Batches look-ups of one row each that are made at about the same time into one statement.
 *
 *   asked ──▶ waiting ──the event loop's turn has ended, and no read is under way──▶ read ──▶ all its callers are answered
 *
 * Requests come in bursts, since one commit answers many runners, and each begins with the same look-ups. A read begins
 * after all the calls that it answers, so no answer is older than its call: a key revoked before a request came is revoked
 * for it. A caller that is interrupted does not end the read, since others wait for it too.
 */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { AnswerTimeout, withAnswerTimeout } from "./AnswerTimeout.ts"

/** The most keys in one statement; further callers get the next one. */
const KEYS_MAX = 256

/** Undefined where the key has no row. The scope is the service's: reads under way end with it. */
export const gathered = Effect.fnUntraced(function* <A>(read: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>>) {
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const timeout_ms = yield* AnswerTimeout
  const waiting = new Map<string, Deferred.Deferred<A | undefined>>()
  let reading = false

  const readNext = Effect.suspend(() => {
    const asked = [...waiting].slice(0, KEYS_MAX)
    for (const [key] of asked) waiting.delete(key)
    return withAnswerTimeout(timeout_ms, read(asked.map(([key]) => key))).pipe(
      Effect.orDie, // the callers have timed out before
      Effect.onExit((exit) =>
        Effect.sync(() => {
          for (const [key, answer] of asked)
            Deferred.doneUnsafe(
              answer,
              Exit.map(exit, (found) => found.get(key))
            )
        })
      ),
      Effect.exit
    )
  })

  /** Checks and sets `reading` in one step, so that no later caller is left waiting. */
  const goesOn = (): boolean => {
    reading = waiting.size > 0
    return reading
  }
  const readAll = Effect.andThen(Effect.yieldNow, Effect.repeat(readNext, { while: goesOn }))

  return (key: string): Effect.Effect<A | undefined> =>
    Effect.suspend(() => {
      const answer = waiting.get(key) ?? Deferred.makeUnsafe<A | undefined>()
      waiting.set(key, answer)
      if (!reading) {
        reading = true
        Fiber.runIn(fork(readAll), scope)
      }
      return Deferred.await(answer)
    })
})
