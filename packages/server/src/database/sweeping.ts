/**
 * Counting beside reads and beside the commits of seasons. Of several nodes one counts at a time: the others
 * find the lock taken and look again a minute later. A sweep takes a fifth of one connection's time, and when
 * a statement takes too long, which happens only where the database is busy, it stops for a minute.
 */
import { Duration, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { tryLockNamed } from "./lockNamed.ts"

const LOOK_EVERY = "1 minute"
const STATEMENT_TIMEOUT_MS = 2_000
/** The pause after a transaction: this many times as long as it took, and at least this long. */
const PAUSE_TIMES = 4
const PAUSE_MIN = Duration.millis(20)

/** Looks every minute, as long as the scope lasts. */
export const sweep = (look: Effect.Effect<unknown, unknown>, warning: string) =>
  look.pipe(
    Effect.catchCause((cause) => Effect.logWarning(warning, cause)),
    Effect.schedule(Schedule.spaced(LOOK_EVERY)),
    Effect.forkScoped
  )

/**
 * Begins a transaction: whether nobody else holds the lock, for the rest of it, and the
 * longest that a statement may take.
 */
export const beginSweep = (sql: SqlClient.SqlClient, lock: string) =>
  Effect.andThen(sql`SELECT set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`, tryLockNamed(sql, lock))

/** The pause after work that took so long. */
export const pauseAfter = (took: Duration.Duration): Effect.Effect<void> =>
  Effect.sleep(Duration.max(PAUSE_MIN, Duration.times(took, PAUSE_TIMES)))

/** A transaction and the pause after it. */
export const paced = <A, E, R>(transaction: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.timed(transaction), ([took, result]: readonly [Duration.Duration, A]) => Effect.as(pauseAfter(took), result))
