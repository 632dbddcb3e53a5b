/** Work that must not be left halfway where its caller is interrupted, as the fiber of a request whose client has gone. */

import { Effect, Exit, Fiber } from "effect"

/**
 * Runs in a fiber of its own, which an interruption of the caller does not reach. `unheard` then gets what came of it, once that is there;
 * a failure that nobody hears is dropped.
 */
export const toItsEnd = <A, E, R, R2 = never>(
  effect: Effect.Effect<A, E, R>,
  unheard: (value: A) => Effect.Effect<unknown, unknown, R2> = () => Effect.void
): Effect.Effect<A, E, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(Effect.exit(restore(effect)), { startImmediately: true }), (fiber) => {
      const exit = Fiber.join(fiber)
      const told = Effect.flatMap(exit, Exit.match({ onFailure: () => Effect.void, onSuccess: unheard }))
      return Effect.onInterrupt(restore(Effect.flatten(exit)), () => Effect.asVoid(Effect.forkDetach(Effect.exit(told))))
    })
  )
