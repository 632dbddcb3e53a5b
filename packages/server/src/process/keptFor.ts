import { Duration, Effect } from "effect"
import { uptimeOf_ms } from "./uptime.ts"

/**
 * Its last answer, or failure, for so many milliseconds; whoever comes while it runs waits for the same run. As
 * `Effect.cachedWithTTL`, which keeps an answer for longer where the host's clock is set back.
 */
export const keptFor =
  (ms: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
    Effect.gen(function* () {
      /** Undefined while it runs. */
      let until_ms: number | undefined
      const run = Effect.clockWith((clock) => {
        until_ms = undefined
        return Effect.onExit(self, () => Effect.sync(() => void (until_ms = uptimeOf_ms(clock) + ms)))
      })
      const [last, forget] = yield* Effect.cachedInvalidateWithTTL(run, Duration.infinity)
      return Effect.clockWith((clock) => {
        if (until_ms === undefined || uptimeOf_ms(clock) < until_ms) return last
        until_ms = undefined
        return Effect.andThen(forget, last)
      })
    })
