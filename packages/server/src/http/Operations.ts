/**
 * What operators and readers of the documentation ask for beside the API: `/healthz` (the process runs),
 * `/readyz` (the database answers and holds our schema), `/metrics`, `/docs` and `/` that leads there, `/errors`.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { Api } from "@agon/api/Api.ts"
import { errorsPage } from "./errorsPage.ts"
import { pagePolicy, referencePolicy } from "./securityHeaders.ts"

/** A page that is made when it is first read and never changes, and whose policy lets it run what is written in it. */
const pageOnce = (make: () => string, policyOf: (html: string) => string) => {
  let page: HttpServerResponse.HttpServerResponse | undefined
  return Effect.sync(() => (page ??= withPolicy(HttpServerResponse.html(make()), policyOf)))
}

const withPolicy = (page: HttpServerResponse.HttpServerResponse, policyOf: (html: string) => string) => {
  const html = page.body._tag === "Uint8Array" ? (page.body.text ?? "") : ""
  return HttpServerResponse.setHeader(page, "content-security-policy", policyOf(html))
}

/** Scalar makes the same page for every request; its policy is made of the first. */
const underReferencePolicy = HttpRouter.middleware((httpEffect) => {
  let policy: string | undefined
  return Effect.map(httpEffect, (page) => withPolicy(page, (html) => (policy ??= referencePolicy(html))))
}).layer

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
  HttpRouter.add("GET", "/errors", pageOnce(errorsPage, pagePolicy)),
  HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs", { status: 302 })),
  PrometheusMetrics.layerHttp({ path: "/metrics" }),
  // Fonts of its own would come from somebody else's machine, and its proxy is one.
  HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } }).pipe(Layer.provide(underReferencePolicy))
)
