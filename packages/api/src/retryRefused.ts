/** Repeats calls that are refused temporarily: 429, over the rate, and 503, while a season moves between machines. */
import { Effect, Schedule } from "effect"

/** Default number of repetitions of a call. */
const TRIES = 100
/** Wait after the 503 of a season that moves: its Retry-After is in whole seconds, but the move mostly takes less. */
const UNAVAILABLE_MS = 300

/** Milliseconds to wait before the call is repeated; undefined where repeating it would not help. */
export const waitOf = (error: unknown): number | undefined => {
  const { code, retry_after_ms } = error as { readonly code?: string; readonly retry_after_ms?: number }
  return code === "rate_limited" ? retry_after_ms : code === "unavailable" ? UNAVAILABLE_MS : undefined
}

/**
 * Repeats a call of the client that is refused with 429 or 503 as soon as it may be repeated; passes
 * on any other refusal at once.
 */
export const retryRefused = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  { tries = TRIES }: { readonly tries?: number } = {}
): Effect.Effect<A, E, R> =>
  call.pipe(
    Effect.tapError((error) => Effect.sleep(waitOf(error) ?? 0)),
    Effect.retry({ schedule: Schedule.upTo(Schedule.forever, { times: tries }), while: (error) => waitOf(error) !== undefined })
  )
