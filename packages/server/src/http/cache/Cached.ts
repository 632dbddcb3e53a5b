/** The `Cached` middleware: caches the answer of an ordinary typed handler as bytes, under the tags that it named. */

import { Cached, CacheTags, type Keeping } from "@agon/api/Boundary.ts"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { AnswerTimeout, withAnswerTimeout } from "../AnswerTimeout.ts"
import { codingOf } from "../encodings.ts"
import { makeCacheKey, pathOf } from "./cacheKey.ts"
import { type Answer, type Entry, matches, type Representation } from "./Entry.ts"
import { ResponseCache } from "./ResponseCache.ts"

// Once per route, when it is built: the known parameters are read from the endpoint.
export const layer = Layer.effect(
  Cached,
  Effect.map(Effect.all([ResponseCache, AnswerTimeout]), ([cache, timeout_ms]) =>
    Cached.of((httpEffect, { endpoint }) => {
      const keyOf = makeCacheKey(endpoint.query)
      const withTags = (tags: Keeping) => Effect.provideService(httpEffect, CacheTags, tags)
      const answer = Effect.suspend(() => {
        const tags: Keeping = new Set<string>()
        return Effect.flatMap(withTags(tags), (response) => toAnswer(response, tags))
      })
      // No client can interrupt a computation, so it has a time-out.
      const compute = withAnswerTimeout(timeout_ms, answer)
      return Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams>) => {
        const { headers, url } = Context.get(context, HttpServerRequest.HttpServerRequest)
        const key = keyOf(pathOf(url), Context.get(context, HttpServerRequest.ParsedSearchParams))
        if (key === undefined) return withTags(new Set()) // its handler refuses the parameters
        return Effect.flatMap(cache.getOrCompute(key, compute), (entry) => {
          cache.alias(url, key)
          const represented = cache.represent(key, entry, codingOf(headers["accept-encoding"]))
          return Effect.map(represented, (one) => toResponse(entry, one, headers["if-none-match"]))
        })
      })
    })
  )
)

const toAnswer = ({ body }: HttpServerResponse.HttpServerResponse, tags: Keeping): Effect.Effect<Answer> =>
  tags.size > 0 && body._tag === "Uint8Array" && body.text !== undefined
    ? Effect.succeed({ text: body.text, contentType: body.contentType, tags, until_ms: tags.until_ms })
    : Effect.die(new Error("A shared answer is text and names its tags, or no write could purge it"))

export const toResponse = (entry: Entry, { body, headers }: Representation, ifNoneMatch: string | undefined) => {
  const known = matches(ifNoneMatch, entry.etag)
  return known === undefined
    ? HttpServerResponse.uint8Array(body, { headers, contentType: entry.contentType })
    : HttpServerResponse.empty({ status: 304, headers: { etag: known, "cache-control": entry.cacheControl, vary: headers["vary"]! } })
}
