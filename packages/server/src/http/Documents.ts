/**
 * `/docs`, `/openapi.json` and `/errors`: the same bytes for everybody, and counted against the address's public bucket. They are made
 * and compressed once, just after the start: that holds the event loop for 0.3 s, which neither the first answer nor a request need wait
 * for. Who asks earlier has them made then.
 */

import { Api } from "@agon/api/Api.ts"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { clientAddress } from "./ClientAddress.ts"
import { toResponse } from "./cache/Cached.ts"
import { type Entry, encode, entryOf, representationOf } from "./cache/Entry.ts"
import { type Compression, codingOf } from "./encodings.ts"
import { RateLimits } from "./limit/RateLimits.ts"
import { errorsPage } from "./page/errorsPage.ts"
import { pagePolicy, referencePolicy } from "./securityHeaders.ts"

/** They change only with the service's version; a browser revalidates after five minutes and gets a 304. */
const CACHE_CONTROL = "public, max-age=300"

const CODINGS: ReadonlyArray<Compression> = ["br", "gzip"]
const HTML = "text/html; charset=utf-8"

const documentOf = (contentType: string, text: string, policy?: string): Entry =>
  entryOf(
    { body: Buffer.from(text), contentType, cacheControl: CACHE_CONTROL, tags: new Set(), expires_ms: Infinity },
    policy === undefined ? {} : { "content-security-policy": policy }
  )

const pageOf = (html: string, policyOf: (html: string) => string) => documentOf(HTML, html, policyOf(html))

/**
 * The framework's page, which it offers only as a route. Its default fonts are off, since they, like its proxy, are a third party's.
 */
const scalarPage = Effect.gen(function* () {
  const routes: Array<Effect.Effect<HttpServerResponse.HttpServerResponse>> = []
  const listening = { add: (_method: string, _path: string, handler: any) => Effect.sync(() => void routes.push(handler)) }
  const router = Layer.succeed(HttpRouter.HttpRouter, listening as unknown as HttpRouter.HttpRouter)
  yield* Layer.build(HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } }).pipe(Layer.provide(router)))
  const { body } = yield* routes[0]!
  return body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
}).pipe(Effect.scoped)

const MADE_AFTER = "1 second"

type Path = "/docs" | "/openapi.json" | "/errors"

const make = Effect.gen(function* () {
  const documents = new Map<Path, Entry>([
    ["/docs", pageOf(yield* scalarPage, referencePolicy)],
    ["/openapi.json", documentOf("application/json", JSON.stringify(OpenApi.fromApi(Api)))],
    ["/errors", pageOf(errorsPage(), pagePolicy)]
  ])
  for (const entry of documents.values()) for (const coding of CODINGS) void representation(entry, coding)
  return documents
})

let making: Promise<Effect.Success<typeof make>> | undefined

/** Made once in a process, also where it runs several services, as in tests, and whatever becomes of the request that asked first. */
const made = Effect.promise(() => {
  making ??= Effect.runPromise(make)
  return making
})

const representation = (entry: Entry, coding: Compression | "identity") =>
  representationOf(entry, coding) ?? encode(entry, coding, () => {})

const answer = (path: Path) =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    yield* limits.take("public", yield* clientAddress)
    const entry = (yield* made).get(path)!
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const represented = yield* Effect.promise(async () => representation(entry, codingOf(headers["accept-encoding"])))
    return toResponse(entry, represented, headers["if-none-match"])
  }).pipe(Effect.catchTag("rate_limited", HttpServerRespondable.toResponse))

export const layer = Layer.mergeAll(
  Layer.effectDiscard(Effect.forkScoped(Effect.delay(made, MADE_AFTER))),
  HttpRouter.add("GET", "/docs", answer("/docs")),
  HttpRouter.add("GET", "/openapi.json", answer("/openapi.json")),
  HttpRouter.add("GET", "/errors", answer("/errors"))
)
