/**
 * The local store's URLs: `PUT`, `GET` and `HEAD` on `/objects/<key>` with a signature, and `GET` and `HEAD`
 * of replays that are rows. They stand beside the API, not in it: no session, no rate limit, no body limit
 * but the one that was signed, no problem+json. Refusals use S3's XML and codes, so that a client written for
 * S3 works with both stores; only "too large" is 413 and not S3's 400.
 */
import { ByteSize, Effect, Layer, Option, Stream } from "effect"
import { HttpRouter, type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { LocalObjects } from "./directory/LocalObjects.ts"
import { type Range, type ReceiveRequest, WHOLE_BYTES_MAX } from "./directory/ObjectDirectory.ts"
import { rangeOf } from "./directory/range.ts"
import { InlineReplays } from "./InlineReplays.ts"
import { INLINE_REPLAYS, isDataset, matchOfInline } from "./keys.ts"
import { IMMUTABLE, type ObjectsUnavailable } from "./ObjectStore.ts"
import type { SignedUrls } from "./SignedUrls.ts"
import { OBJECTS_PATH, type Refusal } from "./urlSignature.ts"

/**
 * Objects are untrusted bytes on the service's own origin: never sniffed, never run, never kept by a shared
 * cache. Datasets are kept by the client that fetched them.
 */
const HEADERS = {
  "cache-control": "private, no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox"
}

const refusals = {
  unsigned: [403, "AccessDenied", "The URL carries no signature."],
  forged: [403, "SignatureDoesNotMatch", "The signature does not match the request."],
  expired: [403, "AccessDenied", "The URL has expired."],
  missing: [404, "NoSuchKey", "There is no object under this key."],
  method: [405, "MethodNotAllowed", "Objects take GET, HEAD and PUT."],
  too_large: [413, "EntityTooLarge", "The body is larger than the URL allows."],
  hash_mismatch: [400, "BadDigest", "The body is not the one that the URL was signed for."],
  range: [416, "InvalidRange", "The object has no bytes in this range."],
  incomplete: [400, "IncompleteBody", "The body ended before its length was reached."],
  full: [507, "InsufficientStorage", "The disk of the object store is nearly full."],
  busy: [503, "SlowDown", "Too many uploads of this key are under way."],
  unavailable: [503, "ServiceUnavailable", "The object store cannot serve this request now."]
} as const satisfies Record<Refusal, unknown> & Record<string, readonly [number, string, string]>

const refuse = (reason: keyof typeof refusals, more: Readonly<Record<string, string>> = {}) => {
  const [status, code, message] = refusals[reason]
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>\n`
  const headers = {
    ...HEADERS,
    ...(status === 405 ? { allow: "GET, HEAD, PUT" } : {}),
    ...(status === 503 ? { "retry-after": "1" } : {}),
    ...more
  }
  return HttpServerResponse.text(body, { status, contentType: "application/xml", headers })
}

type Local = (typeof LocalObjects)["Service"]

/** A body whose length was declared; the HTTP server reads no more of it. */
const receiveWhole = (local: Local, grant: ReceiveRequest, request: HttpServerRequest.HttpServerRequest) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(WHOLE_BYTES_MAX)),
    Effect.flatMap((bytes) => local.directory.receiveWhole(grant, new Uint8Array(bytes)))
  )

const receive = Effect.fn("objects.receive")(function* (local: Local, request: HttpServerRequest.HttpServerRequest) {
  const grant = yield* local.urls.read("PUT", request.url)
  if (typeof grant === "string") return refuse(grant)
  if (grant.method !== "PUT") return refuse("forged")
  // A declared length is refused before a byte is read, a chunked body as soon as it exceeds the limit.
  const declared = Number(request.headers["content-length"])
  const bytes = Number.isNaN(declared) ? grant.max_bytes : declared
  if (bytes > grant.max_bytes) return refuse("too_large")
  const begun = local.uploads.begin(grant.key, bytes, yield* local.directory.room)
  if (begun !== "begun") return refuse(begun)
  const taken = declared <= WHOLE_BYTES_MAX ? receiveWhole(local, grant, request) : local.directory.receive(grant, request.stream)
  const stored = yield* Effect.ensuring(
    taken,
    Effect.sync(() => local.uploads.end(grant.key, bytes))
  )
  return typeof stored === "string" ? refuse(stored) : HttpServerResponse.empty({ status: 200, headers: HEADERS })
})

const headersOf = (key: string) => ({ ...HEADERS, ...(isDataset(key) ? { "cache-control": IMMUTABLE } : {}), "accept-ranges": "bytes" })

interface Found {
  readonly bytes: number
  readonly content: (range?: Range) => Stream.Stream<Uint8Array, ObjectsUnavailable>
}
type Find = (key: string) => Effect.Effect<Found | undefined, ObjectsUnavailable>

const send = Effect.fn("objects.send")(function* (urls: SignedUrls, find: Find, request: HttpServerRequest.HttpServerRequest) {
  const grant = yield* urls.read("GET", request.url)
  if (typeof grant === "string") return refuse(grant)
  const found = yield* find(grant.key)
  if (found === undefined) return refuse("missing")
  const { bytes, content } = found
  const headers = headersOf(grant.key)
  const range = request.method === "GET" ? rangeOf(request.headers["range"], request.headers["if-range"], bytes) : undefined
  if (range === "none") return refuse("range", { "content-range": `bytes */${bytes}` })
  const about = { contentType: "application/octet-stream", contentLength: bytes, headers }
  if (range === undefined) return HttpServerResponse.stream(content(), about)
  const part = { "content-range": `bytes ${range.start}-${range.end}/${bytes}` }
  return HttpServerResponse.stream(content(range), {
    ...{ ...about, status: 206, contentLength: range.end - range.start + 1 },
    headers: { ...headers, ...part }
  })
})

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, ObjectsUnavailable | HttpServerError.HttpServerError>

const routeOf = (path: `/${string}*`, answer: (request: HttpServerRequest.HttpServerRequest) => Answer) =>
  HttpRouter.use((router) =>
    router.add("*", path, (request) =>
      answer(request).pipe(
        Effect.catchTag("ObjectsUnavailable", (error) =>
          Effect.as(Effect.logError("objects are unavailable", error), refuse("unavailable"))
        ),
        Effect.catchTag("HttpServerError", () => Effect.succeed(refuse("incomplete")))
      )
    )
  )

const isRead = ({ method }: HttpServerRequest.HttpServerRequest): boolean => method === "GET" || method === "HEAD"

/** Merged next to the HttpApi where the store is local; with S3 this path has no routes. */
export const layerRoutes: Layer.Layer<never, never, HttpRouter.HttpRouter | LocalObjects> = Layer.unwrap(
  Effect.map(LocalObjects, (local) => {
    const find: Find = (key) =>
      Effect.map(local.directory.stat(key), (found) =>
        Option.isNone(found) ? undefined : { bytes: found.value.bytes, content: (range) => local.directory.read(key, range) }
      )
    return routeOf(`${OBJECTS_PATH}*`, (request) => {
      if (request.method === "PUT") return receive(local, request)
      return isRead(request) ? send(local.urls, find, request) : Effect.succeed(refuse("method"))
    })
  })
)

/** Replays that are rows, whatever the store is. */
export const layerInlineReplays: Layer.Layer<never, never, HttpRouter.HttpRouter | InlineReplays> = Layer.unwrap(
  Effect.map(InlineReplays, ({ read, urls }) => {
    const find: Find = (key) =>
      Effect.map(read(matchOfInline(key)!), (found) => {
        if (Option.isNone(found)) return undefined
        const { value } = found
        const content = ({ end = value.length - 1, start = 0 }: Partial<Range> = {}) => Stream.succeed(value.subarray(start, end + 1))
        return { bytes: value.length, content }
      })
    return routeOf(`${OBJECTS_PATH}${INLINE_REPLAYS}*`, (request) =>
      isRead(request) ? send(urls, find, request) : Effect.succeed(refuse("method"))
    )
  })
)
