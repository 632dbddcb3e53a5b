/**
 * Counts that read a whole season, or all matches of a large side. Over ten million matches one takes seconds, and on a busy machine longer than a request's statement may.
 * So it runs beside the requests that ask for it, once for all of them, with a time limit of its own, and what it finds is kept
 * (KeptCounts.ts). A request that has waited long enough is refused, and the count goes on: a later request finds it.
 *
 *   request ──▶ the count is under way? ── no ──▶ it starts, after at most one other
 *                      │ yes                          │
 *                      └──────▶ waits for its end ◀───┘ ──▶ the answer, its failure, or 503 after some seconds
 */
import { Unavailable } from "@agon/api/Problem.ts"
import { Deferred, Effect, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCallerClass } from "../database/CallerClass.ts"

/** Each may take several of Postgres's processes. */
const AT_ONCE = 2
/** Under way or waiting for their turn. */
const MOST = 64
const WAIT = "4 seconds"
const STATEMENT_TIMEOUT = "120s"

const later = new Unavailable({ detail: "These matches are being counted; try again in a second." })

/** Runs the count of this name, or joins the one that is under way: of one name all find the same. */
export type WholeCount = <A>(name: string, count: Effect.Effect<A>) => Effect.Effect<A, Unavailable>

export const makeWholeCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const turns = yield* Semaphore.make(AT_ONCE)
  const running = new Map<string, Deferred.Deferred<any>>()

  const started = <A>(name: string, count: Effect.Effect<A>) =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<A>()
      running.set(name, end)
      return Effect.andThen(sql`SELECT set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`, count).pipe(
        sql.withTransaction,
        Effect.orDie,
        turns.withPermit,
        Effect.onExit((exit) => {
          running.delete(name)
          return Deferred.done(end, exit)
        }),
        Effect.provideService(CurrentCallerClass, "service"),
        Effect.forkIn(scope),
        Effect.as(end)
      )
    })

  const whole: WholeCount = (name, count) =>
    Effect.gen(function* () {
      const known: Deferred.Deferred<Effect.Success<typeof count>> | undefined = running.get(name)
      if (known === undefined && running.size >= MOST) return yield* later
      const end = known ?? (yield* started(name, count))
      return yield* Effect.timeoutOrElse(Deferred.await(end), { duration: WAIT, orElse: () => later })
    })
  return whole
})
