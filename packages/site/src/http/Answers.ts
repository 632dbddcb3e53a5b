/**
 * Answers a request: method, address, parameters, then a page from the cache or made now. Nothing of a request gets further than the
 * parameters that its page knows, each of bounded length, and on personal pages the session and the fields of their forms (Personal.ts).
 */
import type { Client } from "@agon/api/Client.ts"
import { FRESH, READS, VISITOR } from "@agon/api/Visitor.ts"
import { isUuid, Slug } from "@agon/api/Wire.ts"
import { type Cause, Effect, Schema, type Scope } from "effect"
import { FindMyWay, type HttpClient, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Asset } from "../html/assets.ts"
import { ATOM, atom } from "../html/atom.ts"
import { layout, type Page } from "../html/layout.ts"
import { inPublic } from "../html/links.ts"
import { knownOf, pageKeyOf, VALUE_LENGTH_MAX } from "./address.ts"
import { type Made, makePageCache } from "./cache/PageCache.ts"
import type { ClientAs } from "./clientAs.ts"
import { type Fault, faultedBy, faultPage, isRateFault, orFault } from "./Fault.ts"
import { makeHasSignIn } from "./hasSignIn.ts"
import { assetHeaders, FOR_GOOD, NO_STORE, PAGE_HEADERS, PNG, PRIVATE_HEADERS, SHARED } from "./headers.ts"
import { makePersonal, tokenOf } from "./Personal.ts"
import { makePassedOn } from "./passedOn.ts"
import { CurrentReading, namedIn } from "./Reads.ts"
import { codingFor, inCoding, isNamed, type Rendered, rendered, tagFor } from "./Rendered.ts"
import {
  type Asked,
  type FeedRoute,
  type FileRoute,
  methodsOf,
  type PersonalFileRoute,
  type PersonalRoute,
  type PictureRoute,
  type Route,
  type SharedRoute,
  type Source
} from "./Route.ts"
import { notFound } from "./refuse.ts"

const ADDRESS_LENGTH_MAX = 2_048
const DRAW_TIMEOUT = "8 seconds"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Found = FindMyWay.FindResult<Route>

export interface Site {
  readonly routes: ReadonlyArray<Route>
  readonly assets: ReadonlyMap<string, Asset>
  readonly around: Pick<Asked, "script" | "file" | "names" | "objects" | "origin">
  /** Reads without a session. */
  readonly client: Client
  readonly as: ClientAs
  readonly http: HttpClient.HttpClient
}

type Headers = Readonly<Record<string, string>>

/** A file that is passed on, and the headers that say who may keep it, or its refusal. */
interface Passing {
  readonly source: Effect.Effect<Source, unknown>
  readonly headers: Headers
  readonly refused: Headers
}

/** Answers every request, and fails at none. The scope is the request's. */
export type Answers = (request: Request) => Effect.Effect<Response, never, Scope.Scope>

export const makeAnswers = ({ around, as, assets, client, http, routes }: Site, scope: Scope.Scope): Answers => {
  const { origin } = around // feeds and previews of links have whole addresses
  const cache = makePageCache<unknown>(http, scope, isRateFault)
  const router = FindMyWay.make<Route>({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: VALUE_LENGTH_MAX })
  for (const route of routes) router.on("GET", route.path as FindMyWay.PathInput, route)
  const hasSignIn = makeHasSignIn(client, scope)
  const { fault, faulted } = makeFaults(hasSignIn)
  const files = new Map([...assets].map(([path, { body, contentType }]) => [path, rendered(body, { contentType })]))
  const kept = (request: Request, address: string, drawn: Effect.Effect<Rendered, unknown>) =>
    cache.get(address, visitorOf(request), drawn).pipe(
      Effect.flatMap((made) => send(request, made.page, { ...SHARED, ...toldOf(made) })),
      Effect.catchCause((cause) => faulted(request, cause, NO_STORE))
    )

  const shared = (request: Request, route: SharedRoute, params: Readonly<Record<string, string>>, given: Found["searchParams"]) => {
    const query = knownOf(route, given)
    if (query === undefined) return fault(request, 400)
    return Effect.flatMap(hasSignIn, (signIn) => {
      const key = pageKeyOf(route, params, query, signIn)
      const drawn = draw(
        Effect.suspend(() => route.render({ client, at: inPublic, params, query, ...around })),
        signIn,
        origin
      )
      return kept(request, key, drawn)
    })
  }

  const madeFile = (request: Request, route: FeedRoute | PictureRoute, params: Readonly<Record<string, string>>) => {
    const made = Effect.timeout(
      Effect.suspend(() => fileOf(route, { client, params }, origin)),
      DRAW_TIMEOUT
    )
    return kept(request, pageKeyOf(route, params, {}, false), made)
  }

  const owned = makePersonal({ client, as }, scope)
  const personal = (request: Request, route: PersonalRoute, params: Readonly<Record<string, string>>, given: Found["searchParams"]) => {
    const query = knownOf({ query: route.query ?? [] }, given)
    if (query === undefined) return fault(request, 400)
    const own = Effect.suspend(() => owned({ request, route, at: inPublic, params, query, ...around }))
    const reading = { visitor: visitorOf(request), reads: [] }
    return Effect.flatMap(hasSignIn, (signIn) =>
      Effect.flatMap(orFault(request, signIn, Effect.provideService(draw(own, signIn), CurrentReading, reading)), ([page, fault]) =>
        send(request, page, { ...PRIVATE_HEADERS, ...later(fault?.retry_after_s) })
      )
    )
  }

  const file = makeFile(http, faulted)
  const passingOf = makePassing({ client, as })

  return (request) => {
    if (request.url.length > ADDRESS_LENGTH_MAX) return fault(request, 414)
    const asset = files.get(request.url)
    const found = asset === undefined ? router.find("GET", request.url) : undefined
    const params = found === undefined ? undefined : plainParts(found.params)
    const methods = methodsOf(params === undefined ? undefined : found?.handler)
    if (!methods.includes(request.method)) {
      return Effect.map(fault(request, 405), HttpServerResponse.setHeader("allow", methods.join(", ")))
    }
    if (asset !== undefined) return send(request, asset, assetHeaders(request.url))
    if (found === undefined || params === undefined) return fault(request, 404)
    const { handler, searchParams } = found
    if ("source" in handler || "ownSource" in handler) return file(request, passingOf(request, handler, params))
    if ("feed" in handler || "picture" in handler) return madeFile(request, handler, params)
    return "own" in handler ? personal(request, handler, params, searchParams) : shared(request, handler, params, searchParams)
  }
}

/** `origin`: that of whole addresses; pages that nobody previews have none. */
const draw = (page: Effect.Effect<Page, unknown>, signIn: boolean, origin = "") =>
  Effect.map(Effect.timeout(page, DRAW_TIMEOUT), (page) => {
    const { headers = {}, location, status = 200 } = page
    return rendered(layout(page, signIn, origin), { status, location, headers })
  })

const fileOf = (
  route: FeedRoute | PictureRoute,
  asked: Pick<Asked, "client" | "params">,
  origin: string
): Effect.Effect<Rendered, unknown> =>
  "feed" in route
    ? Effect.map(route.feed(asked), (feed) => rendered(atom(feed, origin), { contentType: `${ATOM}; charset=utf-8` }))
    : Effect.map(route.picture(asked), (png) => rendered(png, { contentType: PNG }))

/** Passes a file on. */
const makeFile = (http: HttpClient.HttpClient, faulted: Faults["faulted"]) => {
  const passedOn = makePassedOn(http)
  return (request: Request, { headers, refused, source }: Passing) => {
    const reading = { visitor: visitorOf(request), reads: [] }
    const passed = Effect.flatMap(Effect.provideService(source, CurrentReading, reading), (source) => passedOn(source, headers))
    return Effect.catchCause(passed, (cause) => faulted(request, cause, refused))
  }
}

const makePassing =
  ({ as, client }: Pick<Site, "as" | "client">) =>
  ({ headers }: Request, route: FileRoute | PersonalFileRoute, params: Readonly<Record<string, string>>): Passing => {
    if ("source" in route) return { source: Effect.suspend(() => route.source({ client, params })), headers: FOR_GOOD, refused: NO_STORE }
    const session = tokenOf(headers["cookie"])
    const source = session === undefined ? notFound : as({ session }, (client) => route.ownSource({ client, params }))
    return { source, headers: PRIVATE_HEADERS, refused: PRIVATE_HEADERS }
  }

/** The headers by which the service in front may keep the page. */
const toldOf = ({ fresh_ms, reads }: Made): Headers => {
  const named = namedIn(reads)
  return { [FRESH]: String(fresh_ms), ...(named === undefined ? {} : { [READS]: named }) }
}

const later = (seconds: number | undefined) => (seconds === undefined ? {} : { "retry-after": String(seconds) })

/** Pages of what has gone wrong, with the same way to the visitor's own page as any other. */
interface Faults {
  readonly fault: (request: Request, status: number) => Effect.Effect<Response>
  readonly faulted: (request: Request, cause: Cause.Cause<unknown>, headers: Headers) => Effect.Effect<Response>
}

const makeFaults = (hasSignIn: Effect.Effect<boolean>): Faults => {
  const shown = (request: Request, fault: Fault, headers: Headers) =>
    Effect.flatMap(hasSignIn, (signIn) =>
      send(request, faultPage(fault, signIn, request.method), { ...headers, ...later(fault.retry_after_s) })
    )
  return {
    fault: (request, status) => shown(request, { status }, NO_STORE),
    faulted: (request, cause, headers) => Effect.flatMap(faultedBy(request.url, cause), (fault) => shown(request, fault, headers))
  }
}

const send = (request: Request, page: Rendered, headers: Readonly<Record<string, string>>): Effect.Effect<Response> => {
  const { "accept-encoding": accepts, "if-none-match": has } = request.headers
  const coding = page.contentType === PNG ? "identity" : codingFor(accepts, page.body.length) // a PNG is compressed
  const etag = tagFor(page.etag, coding)
  const all = { ...PAGE_HEADERS, ...headers, ...page.headers, ...(page.location === undefined ? {} : { location: page.location }), etag }
  if (page.status === 200 && isNamed(has, etag)) return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: all }))
  return Effect.map(
    Effect.promise(() => inCoding(page, coding)),
    (body) =>
      HttpServerResponse.uint8Array(body, {
        status: page.status,
        contentType: page.contentType,
        headers: coding === "identity" ? all : { ...all, "content-encoding": coding }
      })
  )
}

const isSlug = Schema.is(Slug)

/** Parts of a path that the API could take: anything else names nothing, and `..` would name another address of the API. */
const isPart = (name: string, part: string) => {
  if (name === "id") return isUuid(part)
  return name === "username" ? /^[a-z0-9_-][a-z0-9._-]*$/.test(part) : isSlug(part)
}

const plainParts = (params: Found["params"]): Readonly<Record<string, string>> | undefined => {
  const parts = Object.entries(params).map(([name, part]) => [name, part ?? ""] as const)
  return parts.every(([name, part]) => isPart(name, part)) ? Object.fromEntries(parts) : undefined
}

/**
 * Who asks, as the service in front tells it; undefined for whoever asks the site itself. The service takes no other's word
 * (ClientAddress.ts).
 */
const visitorOf = ({ headers }: Request): string | undefined => headers[VISITOR]
