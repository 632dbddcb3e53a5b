/**
 * Look-ups of one row each that are asked for at about the same time, made as one statement.
 *
 *   asked ──▶ waiting ──the loop's turn has ended, and no read is under way──▶ read ──▶ everybody whom it names is answered
 *
 * Requests come in crowds, since one commit answers many runners, and each begins with the same look-ups. A read begins
 * after everybody whom it answers has asked, so nobody's answer is older than the question: what was revoked before a
 * request came is revoked for it. Who goes away ends no read, since others wait for it too.
 */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { AnswerTimeout, withAnswerTimeout } from "./AnswerTimeout.ts"

/** So that no statement grows with the number of those who ask; the others have the next one. */
const KEYS_MAX = 256

/** Undefined where there is nothing under the key. The scope is the service's: what is under way ends with it. */
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
      Effect.orDie, // those who ask have timed out before
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

  /** Asked and answered without a pause in between: whoever asks after it is not left waiting. */
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
