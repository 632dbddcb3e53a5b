/** The `Shared` middleware: an ordinary typed handler, its answer kept as bytes under the tags it named. */
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { CacheTags, type Keeping, Shared } from "@agon/api/Boundary.ts"
import { AnswerTimeout, withAnswerTimeout } from "./AnswerTimeout.ts"
import { type Answer, type Entry, matches, ResponseCache } from "./ResponseCache.ts"

export const SharedLayer = Layer.effect(
  Shared,
  Effect.map(Effect.all([ResponseCache, AnswerTimeout]), ([cache, timeout_ms]) =>
    Shared.of((httpEffect) => {
      const answer = Effect.suspend(() => {
        const tags: Keeping = new Set<string>()
        return Effect.flatMap(Effect.provideService(httpEffect, CacheTags, tags), (response) => toAnswer(response, tags))
      })
      // Nobody who asks can end a computation, so it ends by itself.
      const compute = withAnswerTimeout(timeout_ms, answer)
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(cache.getOrCompute(request.url, compute), (entry) => toResponse(entry, request.headers["if-none-match"]))
      )
    })
  )
)

const toAnswer = ({ body }: HttpServerResponse.HttpServerResponse, tags: Keeping): Effect.Effect<Answer> =>
  tags.size > 0 && body._tag === "Uint8Array" && body.text !== undefined
    ? Effect.succeed({ text: body.text, contentType: body.contentType, tags, until_ms: tags.until_ms })
    : Effect.die(new Error("A shared answer is text and names its tags, or no write could purge it"))

const toResponse = (entry: Entry, ifNoneMatch: string | undefined) =>
  matches(ifNoneMatch, entry.etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag: entry.etag, "cache-control": entry.headers["cache-control"]! } })
    : HttpServerResponse.uint8Array(entry.body, { headers: entry.headers, contentType: entry.headers["content-type"] })
