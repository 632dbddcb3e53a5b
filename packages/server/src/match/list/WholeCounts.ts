/**
 * Counts that read a whole season, or all matches of a large side. Over ten million matches one takes seconds, and on a busy machine longer
 * than a request's statement may. So it runs beside the requests that ask for it, once for all of them, with a time limit of its own, and
 * what it finds is kept (KeptCounts.ts). A request that has waited long enough is refused, and the count goes on: a later request finds it.
 *
 *   request ──▶ the count is under way? ── no ──▶ it starts in its turn
 *                      │ yes                          │
 *                      └──────▶ waits for its end ◀───┘ ──▶ the answer, its failure, or 503 after some seconds
 *
 * One address or account has one turn and a quarter of the queue, so that whoever asks for many rare filters does not keep others from
 * theirs. All lists of a process share the turns: they hold Postgres connections of the service's own, of which there are few.
 */
import { Unavailable } from "@agon/api/Problem.ts"
import { Context, Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCallerClass } from "../../database/CallerClass.ts"
import { type Caller, CurrentCaller } from "../../process/Caller.ts"
import { makeShare } from "../../process/Share.ts"

/** Each may take several of Postgres's processes. */
const TURNS = { places: 2, waiting: 62, each: { places: 1, waiting: 15 } } as const
const WAIT = "4 seconds"
const STATEMENT_TIMEOUT = "120s"

const later = new Unavailable({ detail: "These matches are being counted; try again in a second." })

/** Runs the count of this name, or joins the one that is under way: of one name all find the same, so a name begins with what is counted. */
export type WholeCount = <A>(name: string, count: Effect.Effect<A>) => Effect.Effect<A, Unavailable>

interface Running<A> {
  readonly end: Deferred.Deferred<A, Unavailable>
  /** Those who wait for it. */
  readonly caller: Caller | undefined
}

export class WholeCounts extends Context.Service<WholeCounts, WholeCount>()("agon/WholeCounts") {
  static readonly layer: Layer.Layer<WholeCounts, never, SqlClient.SqlClient> = Layer.effect(
    WholeCounts,
    Effect.suspend(() => makeWholeCounts)
  )
}

const makeWholeCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const turns = makeShare(TURNS, () => later)
  const running = new Map<string, Running<any>>()

  const started = <A>(name: string, count: Effect.Effect<A>, caller: Caller | undefined) =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<A, Unavailable>()
      running.set(name, { end, caller })
      const counting = Effect.andThen(sql`SELECT set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`, count).pipe(
        sql.withTransaction,
        Effect.orDie,
        Effect.provideService(CurrentCallerClass, "service")
      )
      return turns.use(counting).pipe(
        Effect.onExit((exit) => {
          running.delete(name)
          return Deferred.done(end, exit)
        }),
        Effect.forkIn(scope),
        Effect.as(end)
      )
    }).pipe(Effect.uninterruptible)

  const whole: WholeCount = (name, count) =>
    Effect.gen(function* () {
      const caller = yield* CurrentCaller
      const known: Running<Effect.Success<typeof count>> | undefined = running.get(name)
      known?.caller?.join(caller)
      const end = known?.end ?? (yield* started(name, count, caller))
      return yield* Effect.timeoutOrElse(Deferred.await(end), { duration: WAIT, orElse: () => later })
    })
  return whole
})
