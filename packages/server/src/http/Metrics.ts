/**
 * `/metrics`, for monitoring. It names private seasons and shows the load, so it has an address of its own (AGON_METRICS), on loopback
 * unless configured otherwise. `/healthz` tells a scraper that it found the right port.
 */

import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { SettingsShape } from "../config/Settings.ts"
import * as FromZero from "../metric/fromZero.ts"
import { cannotListen, whyNot } from "./connection/listening.ts"
import { refuseUpgrades } from "./connection/refuseUpgrades.ts"

const SCRAPES = ["GET", "HEAD"]
const FORMAT = "text/plain; version=0.0.4; charset=utf-8"

const nothing = HttpServerResponse.text("", { status: 404 })

const answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  if (!SCRAPES.includes(method)) return Effect.succeed(nothing)
  if (url === "/healthz") return Effect.succeed(HttpServerResponse.jsonUnsafe({ healthy: true }))
  if (url !== "/metrics") return Effect.succeed(nothing)
  return Effect.map(PrometheusMetrics.format(), (text) => HttpServerResponse.text(text, { contentType: FORMAT }))
})

/** Limits for slow requests; scrapers are few. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 10_000, maxHeaderSize: 8_192 }
const MOST_CONNECTIONS = 32

const makeServer = () => {
  const server = createServer(LIMITS)
  server.maxConnections = MOST_CONNECTIONS
  refuseUpgrades(server)
  const close = server.close.bind(server)
  server.close = (done) => {
    const closing = close(done)
    server.closeAllConnections() // a scrape does not hold up a stop
    return closing
  }
  return server
}

/** Where the default address is taken by another service, this one logs that and runs without metrics. */
export const layer = (metrics: SettingsShape["metrics"]) => {
  if (metrics === undefined) return Layer.empty
  const { address, asked } = metrics
  const served = Layer.merge(HttpServer.serve(answer), Layer.effectDiscard(FromZero.begin)).pipe(
    Layer.provide(NodeHttpServer.layer(makeServer, address))
  )
  return served.pipe(
    Layer.catch((error) =>
      asked
        ? cannotListen("AGON_METRICS", address)(error)
        : Layer.effectDiscard(Effect.logWarning(`no /metrics: ${whyNot(address, error)}; set AGON_METRICS to another host:port, or to off`))
    )
  )
}
