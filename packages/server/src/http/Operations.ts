/**
 * Routes for operators: `/healthz` (the process runs) and `/readyz` (the database answers and has our schema); and `/`, which redirects
 * to the documentation (Documents.ts). `/metrics` names private seasons and has an address of its own (Metrics.ts).
 */
import { Effect, Fiber, Layer, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { keptFor } from "../process/keptFor.ts"

/** A database that takes longer counts as unavailable. */
const READINESS_TIMEOUT = "2 seconds"

/** The result is cached for this long, so the database is asked four times a second at most. */
const READINESS_KEPT_MS = 250

/** Whether it succeeds in time. Nobody waits until a statement that is late has ended, which may take the driver 5 s more. */
const inTime = Effect.fnUntraced(function* <A, E, R>(statement: Effect.Effect<A, E, R>) {
  const asking = yield* Effect.forkDetach(Effect.isSuccess(statement), { startImmediately: true })
  const found = yield* Effect.timeoutOption(Fiber.join(asking), READINESS_TIMEOUT)
  if (Option.isSome(found)) return found.value
  yield* Effect.forkDetach(Fiber.interrupt(asking))
  return false
})

const ready = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  // One row of a small table; no lock.
  inTime(sql`SELECT 1 FROM agon_migration LIMIT 1`).pipe(
    keptFor(READINESS_KEPT_MS),
    Effect.map(
      Effect.map((isReady) =>
        isReady
          ? HttpServerResponse.jsonUnsafe({ ready: true })
          : HttpServerResponse.jsonUnsafe({ ready: false, waits_for: "database" }, { status: 503 })
      )
    )
  )
)

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ healthy: true })),
  Layer.unwrap(Effect.map(ready, (answer) => HttpRouter.add("GET", "/readyz", answer))),
  HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs", { status: 302 }))
)
