/** Waiting as one is told: a refusal for the rate is no failure, and a season that moves between machines is back in a moment. */
import { Effect, Schedule } from "effect"

/** How often a call is repeated unless the caller says otherwise. */
const TRIES = 100
/** A season that moves says in whole seconds when to come back, though it mostly takes less. */
const UNAVAILABLE_MS = 300

/** Milliseconds to wait before the call is repeated; undefined where repeating it would not help. */
export const waitOf = (error: unknown): number | undefined => {
  const { code, retry_after_ms } = error as { readonly code?: string; readonly retry_after_ms?: number }
  return code === "rate_limited" ? retry_after_ms : code === "unavailable" ? UNAVAILABLE_MS : undefined
}

/** Repeats a call of the client that is refused with 429 or 503 once it may come again; any other refusal is passed on at once. */
export const patiently = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  { tries = TRIES }: { readonly tries?: number } = {}
): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => Effect.sleep(waitOf(error) ?? 0)),
    Effect.retry({ schedule: Schedule.upTo(Schedule.forever, { times: tries }), while: (error) => waitOf(error) !== undefined })
  )
