/**
 * Waiting for an event instead of for a while: a busy machine takes longer and comes to the same end. The limits are for what
 * never happens; a test that passes never sees them.
 */
import { Parking } from "@agon/server/actor/Parking.ts"
import { Cause, Clock, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"

const FIRST_LOOK_MS = 5
/** Later looks are rarer, so that one that asks the service meets no rate (20 a second for a session). */
const LAST_LOOK_MS = 100
/** So long on a machine that is ten times as busy as ours. */
const NEVER_MS = 120_000

const realClock = Clock.Clock.defaultValue()

/** Pauses between looks, each half as long again as the one before. */
const pauses = () => {
  let next_ms = FIRST_LOOK_MS
  return Effect.suspend(() => {
    const pause_ms = next_ms
    next_ms = Math.min(next_ms * 1.5, LAST_LOOK_MS)
    return Effect.provideService(Effect.sleep(pause_ms), Clock.Clock, realClock)
  })
}

/** Looks again and again until the condition holds. On the real clock, also where a test has another. */
export const eventually = <E, R>(what: string, holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const end = performance.now() + NEVER_MS
    const pause = pauses()
    while (!(yield* holds)) {
      if (performance.now() > end) return yield* Effect.die(new Error(`${what}: not within ${NEVER_MS / 1_000} s`))
      yield* pause
    }
  })

/** Asks again and again until it succeeds, and answers what it says; the last failure is told where it never does. */
export const untilSuccess = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.gen(function* () {
    const end = performance.now() + NEVER_MS
    const pause = pauses()
    for (;;) {
      const answer = yield* Effect.exit(ask)
      if (Exit.isSuccess(answer)) return answer.value
      if (Cause.hasDies(answer.cause) || performance.now() > end) return yield* Effect.orDie(Effect.failCause(answer.cause))
      yield* pause
    }
  })

/** So many statements of this database wait for a lock that another holds. */
export const blocked = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    eventually(
      `${count} statements wait for a lock`,
      Effect.map(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ([row]) => row!.n >= count
      )
    )
  )

/** So many lease requests wait for work at this node. */
export const parked = (count: number) =>
  Effect.flatMap(Parking, ({ size }) =>
    eventually(
      `${count} requests wait for work`,
      Effect.sync(() => size() >= count)
    )
  )
