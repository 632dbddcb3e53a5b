/**
 * What operators ask for beside the API: `/healthz` (the process runs), `/readyz` (the database answers and holds our schema); and `/`,
 * which leads to the documentation (Documents.ts). `/metrics` names private seasons, and has an address of its own (Metrics.ts).
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"

/** A database that answers no sooner is as good as away. */
const readinessTimeout = "2 seconds"

/** Whoever asks within it is told the same: the database is asked four times a second at most, however many ask. */
const readinessKept = "250 millis"

const ready = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  // One row of a small table; no lock.
  sql`SELECT 1 FROM agon_migration LIMIT 1`.pipe(
    Effect.timeout(readinessTimeout),
    Effect.isSuccess,
    Effect.cachedWithTTL(readinessKept),
    Effect.map(
      Effect.map((isReady) =>
        isReady
          ? HttpServerResponse.jsonUnsafe({ ready: true })
          : HttpServerResponse.jsonUnsafe({ ready: false, waits_for: "database" }, { status: 503 })
      )
    )
  )
)

export const OperationsLayer = Layer.mergeAll(
  HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ healthy: true })),
  Layer.unwrap(Effect.map(ready, (answer) => HttpRouter.add("GET", "/readyz", answer))),
  HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs", { status: 302 }))
)
