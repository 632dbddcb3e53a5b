/**
 * A start that does not give up at the first connection to Postgres that times out. On a machine whose
 * processors are all taken, or beside a server that comes up, any statement of the start may be the one that
 * finds no connection within the driver's five seconds. Everything that was built by then is released and
 * built again, after a pause that grows, for a minute. Nothing else that ends a start is tried again: a wrong
 * password, an unknown database and a missing schema stay as they are.
 */
import { Cause, Clock, Duration, Effect, Exit, Layer, Scope } from "effect"
import { SqlError } from "effect/sql"
import type { StartRefused } from "../config/StartRefused.ts"
import { refuseDatabase } from "./DatabaseName.ts"
import { explain } from "./explain.ts"
import { isRestarting } from "./rows.ts"

/** How long a start tries to connect. */
const PATIENCE: Duration.Input = "1 minute"
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/** How long to wait after this many failed attempts, ms. */
const pauseAfter = (attempts: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1))

/** Whether the server was not reached, or is coming up or going down: a later attempt may succeed. */
export const isNotReached = (error: SqlError.SqlError): boolean => error.reason._tag === "ConnectionError" || isRestarting(error)

/** Attempts, with one line of the log for each that fails, until one reaches the server or the time is up. */
export const untilReached = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, patience: Duration.Input = PATIENCE) {
  const began = yield* Clock.currentTimeMillis
  for (let attempt = 1; ; attempt++) {
    const exit = yield* Effect.exit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    const error = unreached(exit.cause)
    if (error === undefined) return yield* exit
    const pause_ms = pauseAfter(attempt)
    const passed_ms = (yield* Clock.currentTimeMillis) - began
    if (passed_ms + pause_ms > Duration.toMillis(patience)) {
      const tries = attempt === 1 ? "" : ` (${attempt} attempts in ${Math.round(passed_ms / 1_000)} s)`
      return yield* refuseDatabase(`the server cannot be used: ${explain(error)}${tries}`)
    }
    yield* Effect.logWarning("the database was not reached, the start tries again", { attempt, why: explain(error), again_in_ms: pause_ms })
    yield* Effect.sleep(pause_ms)
  }
})

/** The same layer, built again where the database was not reached. */
export const startAgain = <A, E, R>(
  layer: Layer.Layer<A, E, R>,
  patience: Duration.Input = PATIENCE
): Layer.Layer<A, E | StartRefused, R> => {
  const built = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    // A memo map of its own: one around it would keep what has failed.
    const build = Layer.buildWithMemoMap(layer, yield* Layer.makeMemoMap, scope)
    return yield* Effect.onExit(build, (exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
  })
  return Layer.effectContext(untilReached(built, patience))
}

const CAUSES_MAX = 8

/** The failure to reach the server, where that is what ended the start: libraries wrap it. */
const unreached = <E>(cause: Cause.Cause<E>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    let found: unknown = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    for (let depth = 0; depth < CAUSES_MAX && found instanceof Error; depth++, found = found.cause) {
      if (SqlError.isSqlError(found) && isNotReached(found)) return found
    }
  }
  return undefined
}
