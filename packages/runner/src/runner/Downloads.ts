/** Downloads from and uploads to the object store by signed URLs, with limits on size, time and tries. */

import type { Upload } from "@agon/api/Wire.ts"
import { Context, Duration, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"

export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", {
  detail: Schema.String,
  /** The store answered, and has no such file or another one. Anything else may be this machine's own doing. */
  gone: Schema.Boolean
}) {}

/** The longest file: as large as weights may be in any season. */
export const FILE_BYTES_MAX = 1024 ** 3

/** What a store says about an upload is read to its end, up to this, so that its connection can be used again. */
const THANKS_BYTES_MAX = 65_536

const GONE: ReadonlySet<number> = new Set([404, 410])

const TIMEOUT = Duration.seconds(30)
const TRIES = 4
const BACKOFF = Schedule.max([Schedule.jittered(Schedule.exponential("200 millis")), Schedule.upTo(Schedule.forever, { times: TRIES - 1 })])

export class Downloads extends Context.Service<
  Downloads,
  {
    /** Downloads exactly `bytes` bytes; more or fewer fail. */
    readonly get: (url: string, bytes: number) => Effect.Effect<Uint8Array, TransferFailed>
    readonly put: (upload: Upload, bytes: Uint8Array) => Effect.Effect<void, TransferFailed>
  }
>()("agon/runner/Downloads") {
  static readonly layer: Layer.Layer<Downloads, never, HttpClient.HttpClient> = Layer.effect(
    Downloads,
    Effect.map(HttpClient.HttpClient, (client) => {
      // With a scope: what is left of an answer is given up, and its connection with it.
      const scoped = HttpClient.withScope(client)
      const exchange = (request: HttpClientRequest.HttpClientRequest, most: number) =>
        scoped.execute(request).pipe(
          Effect.flatMap(
            (response): Effect.Effect<Uint8Array, TransferFailed | HttpClientError.HttpClientError> =>
              response.status >= 200 && response.status < 300
                ? firstBytes(response, most)
                : Effect.fail(
                    new TransferFailed({ detail: `the object store answered ${response.status}`, gone: GONE.has(response.status) })
                  )
          ),
          Effect.scoped,
          Effect.timeout(TIMEOUT),
          Effect.mapError((error) =>
            error instanceof TransferFailed ? error : new TransferFailed({ detail: String(error._tag), gone: false })
          )
        )
      return Downloads.of({
        get: (url, bytes) =>
          bytes > FILE_BYTES_MAX
            ? Effect.fail(new TransferFailed({ detail: `the file would have ${bytes} bytes; ${FILE_BYTES_MAX} are read`, gone: false }))
            : exchange(HttpClientRequest.get(url), bytes).pipe(
                Effect.filterOrFail(
                  (found) => found.length === bytes,
                  ({ length }) => {
                    const has = length > bytes ? `more than ${bytes} bytes` : `${length} bytes, not ${bytes}`
                    return new TransferFailed({ detail: `the file has ${has}`, gone: true })
                  }
                ),
                Effect.retry(BACKOFF)
              ),
        put: ({ headers, url }, bytes) =>
          exchange(
            HttpClientRequest.put(url).pipe(
              HttpClientRequest.setHeaders(headers),
              HttpClientRequest.setBody(HttpBody.uint8Array(bytes, headers["content-type"] ?? "application/octet-stream"))
            ),
            THANKS_BYTES_MAX
          ).pipe(Effect.retry(BACKOFF), Effect.asVoid)
      })
    })
  )
}

/** The body, or a little more than `most` bytes of one that is longer. */
const firstBytes = ({ stream }: HttpClientResponse.HttpClientResponse, most: number) =>
  Effect.suspend(() => {
    let read = 0
    const isOver = ({ length }: Uint8Array) => {
      read += length
      return read > most
    }
    return Effect.map(Stream.runCollect(Stream.takeUntil(stream, isOver)), (chunks): Uint8Array => Buffer.concat(chunks))
  })
