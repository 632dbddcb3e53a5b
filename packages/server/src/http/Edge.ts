/**
 * Around the router: request ids, no-store, compression, and the problems for unknown paths, methods that a path
 * does not have, and failures outside HttpApi.
 */

import { Api } from "@agon/api/Api.ts"
import * as P from "@agon/api/Problem.ts"
import { Cause, Clock, Context, Effect } from "effect"
import { FindMyWay, HttpRouter, HttpServerError, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { logged } from "./Boundary.ts"
import { codingFor, compressed } from "./Compressed.ts"
import type { Coding } from "./encodings.ts"
import { answered, durations } from "./HttpMetrics.ts"
import { refusedSignIn } from "./page/refusedSignIn.ts"
import { nextRequestId, RequestId } from "./RequestId.ts"

export const layer = HttpRouter.middleware(
  (httpEffect) =>
    Effect.withFiber((fiber) => {
      const id = nextRequestId()
      const clock = fiber.getRef(Clock.Clock)
      const began_ms = clock.currentTimeMillisUnsafe()
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const complete = (response: HttpServerResponse.HttpServerResponse, coding: Coding | undefined) => {
        answered(response.status).updateUnsafe(1, fiber.context)
        durations.updateUnsafe(clock.currentTimeMillisUnsafe() - began_ms, fiber.context)
        const headers: Record<string, string> = { "x-request-id": id }
        if (!("cache-control" in response.headers)) headers["cache-control"] = "no-store"
        if (coding !== undefined) headers["vary"] = "Accept-Encoding"
        return HttpServerResponse.setHeaders(response, headers)
      }
      const finish = (answer: HttpServerResponse.HttpServerResponse) => {
        const response = refusedSignIn(request, answer)
        const coding = codingFor(request, response)
        if (coding === undefined || coding === "identity") return Effect.succeed(complete(response, coding))
        return Effect.map(compressed(request, response, coding), (smaller) => complete(smaller, coding))
      }
      return (isPath(request.url) ? httpEffect : nothing).pipe(
        Effect.matchCauseEffect({
          onSuccess: finish,
          onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.flatMap(outside(cause), finish))
        }),
        Effect.provideService(RequestId, id)
      )
    }),
  { global: true }
)

const outside = (cause: Cause.Cause<unknown>) => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, noRoute)
    : Effect.flatMap(logged(cause), HttpServerRespondable.toResponse)
}

/** Whether the path is well formed: the router also accepts empty parameters, and ends a path at a semicolon. */
const isPath = (url: string) => {
  const end = url.indexOf("?")
  const path = end < 0 ? url : url.slice(0, end)
  return path.length === 1 || !(path.endsWith("/") || path.includes("//") || path.includes(";") || path.includes("#"))
}

const nothing = Effect.suspend(() => HttpServerRespondable.toResponse(new P.NotFound({ detail: "There is nothing under this path." })))

const noRoute = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const allow = methods.find("GET", url)?.handler
  return allow === undefined
    ? nothing
    : Effect.map(
        HttpServerRespondable.toResponse(new P.MethodNotAllowed({ detail: `${method} is not among ${allow.join(", ")}.` })),
        HttpServerResponse.setHeader("allow", allow.join(", "))
      )
}

/**
 * Paths are matched exactly: neither another case nor an extra slash matches, since a rule of a proxy in front of us would guard the one
 * spelling and let the other pass. Parameters may be as long as a listed word that is percent-encoded.
 */
export const routing = { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: 1_000 }

/** The methods of each path, from the API itself; used only when no route was found. */
const methods = FindMyWay.make<Array<string>>(routing)
const byPath = new Map<string, Array<string>>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => {
    // Parameter names may differ between the methods of one path; their positions do not.
    const place = path.replace(/:\w+/g, ":x")
    const own = byPath.get(place) ?? []
    own.push(...(method === "GET" ? ["GET", "HEAD"] : [method]))
    if (!byPath.has(place)) methods.on("GET", place as FindMyWay.PathInput, own)
    byPath.set(place, own)
  }
})
