/**
 * How long the maker of a part asks a store that fails again. The files that it has made so far are work of minutes, or of hours where
 * the store is slow, and would be made anew.
 */
import { seldomFailed } from "@agon/api/program/seldom.ts"
import { Cause, Context, Duration, Effect, Schedule } from "effect"

export interface Patience {
  /** Between two attempts. */
  readonly pause: Duration.Input
  /** How long one replay is asked for: others may be had while one is damaged. */
  readonly read: Duration.Input
  /** How long a file is put: seasons wait for each other. */
  readonly put: Duration.Input
}

export const Patience = Context.Reference<Patience>("agon/dataset/Patience", {
  defaultValue: () => ({ pause: "30 seconds", read: "10 minutes", put: "1 hour" })
})

const told = seldomFailed("a dataset waits for the object store")

/** The attempts of one request, as long as `goesOn` says so. */
export const patiently =
  (what: "read" | "put", goesOn: Effect.Effect<boolean> = Effect.succeed(true)) =>
  <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Patience, (patience) => {
      const schedule = Schedule.upTo(Schedule.spaced(patience.pause), { duration: patience[what] })
      return Duration.toMillis(patience[what]) === 0
        ? request
        : Effect.retry(
            Effect.tapError(request, (error) => told(Cause.fail(error))),
            { schedule, while: () => goesOn }
          )
    })
