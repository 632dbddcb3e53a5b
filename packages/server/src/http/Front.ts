/**
 * The node:http server with the cache in front of it: a hit is written from node's own request event,
 * before a fiber starts, at about the price of a bare server. Everything else goes on to Effect.
 * node offers no hook between parsing and listeners, hence the overridden `emit`; it is the one place
 * that bypasses HttpApi, and a request it does not answer is passed on unchanged. A hit takes a token
 * like any other public read; without one the request goes on and is refused in the ordinary way.
 * Where the tokens are in Redis, both wait for Redis's answer.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import { VISITOR } from "@agon/api/Visitor.ts"
import { Context, Effect } from "effect"
import { PublicOrigin } from "../config/publicOrigin.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { type Entry, matches, type Representation, representationOf, unchangedHeaders } from "./cache/Entry.ts"
import { ResponseCache } from "./cache/ResponseCache.ts"
import { makeAddressLimit } from "./connection/AddressLimit.ts"
import { ConnectionLimits, makeServer } from "./connection/Connections.ts"
import { makeSlowReaders, SlowReaderLimits } from "./connection/SlowReaders.ts"
import { inTurn } from "./connection/turns.ts"
import { codingOf } from "./encodings.ts"
import { cacheHits } from "./HttpMetrics.ts"
import { isUnder } from "./isUnder.ts"
import { RateLimits } from "./limit/RateLimits.ts"
import { makeSitePages, Site } from "./page/SitePages.ts"
import { nextRequestId } from "./RequestId.ts"

/** A listener of node's own for everything under a path (`/dev-idp`), mounted beside the API. */
export interface Mount {
  readonly path: string
  readonly listener: RequestListener
}

export class Mounts extends Context.Reference<ReadonlyArray<Mount>>("agon/Mounts", { defaultValue: () => [] }) {}

/** By these a request names a trace and has it sent to the collector. They are the sender's word, so no request keeps them. */
const TRACE_HEADERS = ["traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-sampled", "x-b3-flags"]

const withoutTrace = ({ headers }: IncomingMessage) => {
  for (const name of TRACE_HEADERS) if (name in headers) delete headers[name]
}

/** Whether a mount answers the request. */
const mountedOf = (mounts: ReadonlyArray<Mount>) => (request: IncomingMessage, response: ServerResponse) => {
  const mount = mounts.find(({ path }) => isUnder(request.url!, path))
  if (mount === undefined) return false
  response.setHeader("x-request-id", nextRequestId())
  mount.listener(request, response as ServerResponse & { req: IncomingMessage })
  return true
}

type Emit = (event: string | symbol, ...args: Array<any>) => boolean

/** Requests come one by one of each connection, and those that are not settled as events. */
const listening =
  (emit: Emit, settles: (request: IncomingMessage, response: ServerResponse) => boolean): Emit =>
  (event, ...args) => {
    // The second is a request with `Expect: 100-continue`; an answer without a 100 is allowed.
    if (event !== "request" && event !== "checkContinue") return emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    inTurn(request, response, () => {
      if (!settles(request, response)) emit(event, ...args)
    })
    return true
  }

export const makeFront = Effect.gen(function* () {
  const addressOf = yield* ClientAddress
  const context = yield* Effect.context<never>()
  const cache = yield* ResponseCache
  const limits = yield* RateLimits
  const mounted = mountedOf(yield* Mounts)
  const connections = yield* ConnectionLimits
  const addressLimit = yield* makeAddressLimit(connections.address_connections)

  const fork = Effect.runForkWith(context)
  const watch = makeSlowReaders(yield* SlowReaderLimits, context)
  const clientOf = ({ headers, socket }: IncomingMessage) =>
    addressOf(socket.remoteAddress ?? "", headers["x-forwarded-for"] as string | undefined, headers[VISITOR] as string | undefined) // node joins repeated ones

  const take = (address: string) => limits.takeUnsafe("public", address)
  const tagOf = (url: string) => cache.getUnsafe(url)?.etag
  const paged = makeSitePages(yield* Site, { clientOf, fork, origin: yield* PublicOrigin, tagOf, take })

  const hit = (request: IncomingMessage, response: ServerResponse, goOn: () => void): boolean => {
    if (request.method !== "GET" && request.method !== "HEAD") return false
    const entry = cache.getUnsafe(request.url!)
    if (entry === undefined) return false
    const found = representationOf(entry, codingOf(request.headers["accept-encoding"] as string | undefined))
    if (found === undefined) return false // it has to be compressed first, off the event loop
    const address = clientOf(request)
    const wait_ms = take(address)
    const write = () => {
      response.once("prefinish", () => watch(response, address))
      send(request, response, entry, found)
    }
    if (wait_ms === 0) write()
    else if (typeof wait_ms === "number") return false
    else fork(Effect.map(wait_ms, (wait_ms) => (wait_ms === 0 ? write() : goOn())))
    return true
  }

  const send = (request: IncomingMessage, response: ServerResponse, entry: Entry, { body, rawHeaders }: Representation) => {
    cacheHits.updateUnsafe(1, context)
    const known = matches(request.headers["if-none-match"], entry.etag)
    const raw = known === undefined ? rawHeaders : unchangedHeaders(entry.cacheControl, known)
    raw[raw.length - 1] = nextRequestId()
    if (known === undefined) response.writeHead(200, raw).end(body)
    else response.writeHead(304, raw).end()
  }

  return (): Server => {
    const { admit, server } = makeServer(connections, addressLimit)
    const emit: Emit = server.emit.bind(server)
    const settles = (request: IncomingMessage, response: ServerResponse): boolean => {
      const prepare = () => {
        withoutTrace(request)
        response.once("prefinish", () => watch(response, clientOf(request)))
      }
      const goOn = () => {
        prepare()
        emit("request", request, response)
      }
      if (!admit(request, response) || hit(request, response, goOn)) return true
      prepare()
      return mounted(request, response) || paged(request, response)
    }
    server.emit = listening(emit, settles)
    return server
  }
})
