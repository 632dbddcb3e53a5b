/** Downloads from and uploads to the object store by signed URLs, with limits on size, time and tries. */

import type { Upload } from "@agon/api/Wire.ts"
import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"

export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", {
  detail: Schema.String,
  /** The store answered, and has no such file or another one. Anything else may be this machine's own doing. */
  gone: Schema.Boolean
}) {}

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
      const exchange = <A>(request: HttpClientRequest.HttpClientRequest, read: (bytes: Uint8Array) => Effect.Effect<A, TransferFailed>) =>
        client.execute(request).pipe(
          Effect.flatMap((response) =>
            response.status >= 200 && response.status < 300
              ? Effect.flatMap(response.arrayBuffer, (buffer) => read(new Uint8Array(buffer)))
              : Effect.fail(new TransferFailed({ detail: `the object store answered ${response.status}`, gone: GONE.has(response.status) }))
          ),
          Effect.timeout(TIMEOUT),
          Effect.mapError((error) =>
            error instanceof TransferFailed ? error : new TransferFailed({ detail: String(error._tag), gone: false })
          ),
          Effect.retry(BACKOFF)
        )
      return Downloads.of({
        get: (url, bytes) =>
          exchange(HttpClientRequest.get(url), (found) =>
            found.length === bytes
              ? Effect.succeed(found)
              : Effect.fail(new TransferFailed({ detail: `the file has ${found.length} bytes, not ${bytes}`, gone: true }))
          ),
        put: ({ headers, url }, bytes) =>
          exchange(
            HttpClientRequest.put(url).pipe(
              HttpClientRequest.setHeaders(headers),
              HttpClientRequest.setBody(HttpBody.uint8Array(bytes, headers["content-type"] ?? "application/octet-stream"))
            ),
            () => Effect.void
          )
      })
    })
  )
}
