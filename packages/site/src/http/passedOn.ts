/**
 * A file that lies at another origin, which pages may not ask, passed on through this one. The address comes from the service, signed;
 * nothing of the visitor's request is part of it, and redirects are not followed. Bytes go on as they come, at the pace at which they
 * are taken, and no more of them than the file may have.
 */
import { Effect, type Scope, Stream } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import { type Fault, Refused } from "./Fault.ts"
import { fileHeaders } from "./headers.ts"
import { CurrentReading } from "./Reads.ts"
import type { Source } from "./Route.ts"
import { notFound } from "./refuse.ts"

/** The store refuses what the service has signed, or fails. Its operator has to look, and the next try may succeed. */
const STORE_FAILS: Fault = {
  status: 503,
  retry_after_s: 2,
  words: ["Away for a moment", "The store of files does not answer as it should."]
}
const tooLarge = (max_bytes: number): Fault => ({
  status: 502,
  words: ["Too large a file", `The store of files has more than ${max_bytes} bytes at this address, so they are not passed on.`]
})

class MoreBytes extends Error {}

/** Breaks off the answer, whose length nobody knew beforehand. */
const atMost = (max_bytes: number) => {
  let bytes = 0
  return <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | MoreBytes> =>
    Stream.mapEffect(body, (chunk): Effect.Effect<Uint8Array, MoreBytes> => {
      bytes += chunk.length
      return bytes > max_bytes ? Effect.fail(new MoreBytes()) : Effect.succeed(chunk)
    })
}

/** The request to the store ends with the scope, which is that of the visitor's request. */
export const makePassedOn = (http: HttpClient.HttpClient) => {
  const scoped = HttpClient.withScope(http)
  return (
    { address, content_type, max_bytes }: Source,
    kept: Readonly<Record<string, string>>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Scope.Scope> =>
    Effect.gen(function* () {
      // Not a read of the service: it is not told the visitor, and no page depends on it.
      const answer = yield* Effect.provideService(scoped.get(address), CurrentReading, undefined)
      if (answer.status === 404) return yield* notFound
      if (answer.status !== 200) {
        yield* Effect.logWarning("the store of files refuses a signed address", { status: answer.status })
        return yield* new Refused({ fault: STORE_FAILS })
      }
      const length = answer.headers["content-length"]
      if (Number(length ?? 0) > max_bytes) return yield* new Refused({ fault: tooLarge(max_bytes) })
      return HttpServerResponse.stream(atMost(max_bytes)(answer.stream), {
        contentType: content_type,
        headers: { ...fileHeaders(kept), ...(length === undefined ? {} : { "content-length": length }) }
      })
    })
}
