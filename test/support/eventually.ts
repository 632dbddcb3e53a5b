/**
 * Waiting for an event instead of for a while: a busy machine takes longer and comes to the same end. The
 * limits are for what never happens; a test that passes never sees them.
 */
import { retryRefused } from "@agon/api/retryRefused.ts"
import { Parking } from "@agon/server/parking/Parking.ts"
import { Cause, Clock, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"

const FIRST_LOOK_MS = 5
/** Later looks are rarer, so that one that asks the service meets no rate (20 a second for a session). */
const LAST_LOOK_MS = 100
/** So long on a machine that is ten times as busy as ours. */
const NEVER_MS = 120_000
/** The same where processes start, play and end. */
export const PATIENCE_MS = 300_000

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

/** The finding of a look, or why it was not there yet. */
type Look<A> = { readonly found: A } | { readonly missing: () => unknown }

/** Looks again and again until it is there. On the real clock, also where a test has another. */
const looking = <A, E, R>(look: Effect.Effect<Look<A>, E, R>, patience_ms = NEVER_MS): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const end = performance.now() + patience_ms
    const pause = pauses()
    for (;;) {
      const seen = yield* look
      if ("found" in seen) return seen.found
      if (performance.now() > end) return yield* Effect.die(seen.missing())
      yield* pause
    }
  })

const inVain = (what: string, patience_ms: number, last = "") => new Error(`${what}: not within ${patience_ms / 1_000} s${last}`)

/** Waits until the condition holds. */
export const eventually = <E, R>(what: string, holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  looking(Effect.map(holds, (yes) => (yes ? { found: undefined } : { missing: () => inVain(what, NEVER_MS) })))

/** Asks until it succeeds, and answers what it says; the last failure is told where it never does. */
export const untilSuccess = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  looking(
    Effect.flatMap(Effect.exit(ask), (answer): Effect.Effect<Look<A>> => {
      if (Exit.isSuccess(answer)) return Effect.succeed({ found: answer.value })
      if (Cause.hasDies(answer.cause)) return Effect.orDie(Effect.failCause(answer.cause))
      return Effect.succeed({ missing: () => Cause.squash(answer.cause) })
    })
  )

/** Asks the service until its answer will do, and no sooner than it asks to be asked. */
export const untilAnswer = <A, E, R>(what: string, ask: Effect.Effect<A, E, R>, until: (answer: A) => boolean) =>
  looking(Effect.map(retryRefused(ask), (answer) => (until(answer) ? { found: answer } : { missing: () => inVain(what, NEVER_MS) })))

/** A failure that waiting longer will not mend. */
export class Hopeless extends Error {}

/** `eventually` for tests of processes, which are written with promises: a probe that throws counts as not yet. */
export const eventuallyAsync = (what: string, probe: () => Promise<boolean> | boolean, patience_ms = PATIENCE_MS): Promise<void> =>
  Effect.runPromise(
    looking(
      Effect.promise(async () => {
        try {
          if (await probe()) return { found: undefined }
          return { missing: () => inVain(what, patience_ms) }
        } catch (error) {
          if (error instanceof Hopeless) throw error
          return { missing: () => inVain(what, patience_ms, `: ${error instanceof Error ? error.message : String(error)}`) }
        }
      }),
      patience_ms
    )
  )

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
