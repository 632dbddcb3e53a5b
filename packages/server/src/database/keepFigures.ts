/** Figures that only the database knows, read every so often for the gauges of a scrape. */

import { seldomFailed } from "@agon/api/program/seldom.ts"
import { Clock, type Duration, Effect, Schedule, type Scope } from "effect"
import { uptimeOf_ms } from "../process/uptime.ts"
import { CurrentCallerClass } from "./CallerClass.ts"

/** Figures that were not read since are not told. */
const OLDEST_MS = 120_000

/**
 * Keeps the last reading as long as it is not too old. `read` is given the time in ms.
 * Reads go on as long as the scope.
 */
export const keepFigures = <A, E, R>(
  every: Duration.Input,
  read: (now_ms: number) => Effect.Effect<A, E, R>
): Effect.Effect<() => A | undefined, never, Scope.Scope | R> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => uptimeOf_ms(clock)
    let last: { readonly figures: A; readonly at: number } | undefined
    const once = Effect.suspend(() => read(clock.currentTimeMillisUnsafe())).pipe(
      Effect.tap((figures) => Effect.sync(() => void (last = { figures, at: now() }))),
      Effect.provideService(CurrentCallerClass, "service"),
      Effect.catchCause(seldomFailed("the figures for /metrics were not read"))
    )
    yield* once.pipe(Effect.repeat(Schedule.spaced(every)), Effect.forkScoped)
    return () => (last === undefined || now() - last.at > OLDEST_MS ? undefined : last.figures)
  })
