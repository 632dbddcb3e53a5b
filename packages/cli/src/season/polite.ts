/** Calls that wait as they are told: a refusal for the rate is no failure, and a season that moves is back in a moment. */
import { Effect, Schedule } from "effect"

const TRIES = 60

const waitOf = (error: unknown): number | undefined => {
  const { code, retry_after_ms } = error as { readonly code?: string; readonly retry_after_ms?: number }
  if (code === "rate_limited") return retry_after_ms ?? 1_000
  return code === "unavailable" ? 1_000 : undefined
}

export const politely = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => Effect.sleep(waitOf(error) ?? 0)),
    Effect.retry({ schedule: Schedule.upTo(Schedule.forever, { times: TRIES }), while: (error) => waitOf(error) !== undefined })
  )
