/**
 * Downloads from and uploads to the object store by signed URLs, with limits on size, time and tries. A file may be
 * large and a runner's line slow: it has time as long as it comes, and all its tries together as long as it takes at
 * the slowest rate. A match or a review whose lease ends before that ends then (the runner's heartbeats go on), and the
 * file is there for the next one (FileCache.ts).
 */

import type { Upload } from "@agon/api/Wire.ts"
import { Clock, Context, Duration, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"

export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", {
  detail: Schema.String,
  /** The store answered, and has no such file or another one. Anything else may be this machine's own doing. */
  gone: Schema.Boolean
}) {}

/** The longest file: as large as weights may be in any season. */
export const FILE_BYTES_MAX = 1024 ** 3

/** A store's answer to an upload is read to its end, up to this, so that its connection can be used again. */
const THANKS_BYTES_MAX = 65_536

const GONE: ReadonlySet<number> = new Set([404, 410])

/** Time until the answer begins; for an upload, beyond the time of its bytes. */
const ANSWER_S = 30
/** Time between two chunks of a file. */
const CHUNK_S = 30
const TRIES = 4
/** Time in which a try may begin, and that of all tries beyond that of the bytes. */
const TRIES_S = TRIES * ANSWER_S
/** The slowest rate, about 1 Mbit/s for each file: 6 minutes for 50 MB. A store that trickles must not hold a slot. */
const BYTES_PER_S_MIN = 128 * 1024
/**
 * While the store is away it is tried again without an end, at most every 15 s, so that the retries do not overload it
 * when it is back.
 */
const LONGEST_PAUSE = "15 seconds"
const PAUSES = Schedule.jittered(Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced(LONGEST_PAUSE)]))
/** A file that the store says it has not got is asked for a few times. */
const BACKOFF = Schedule.max([PAUSES, Schedule.upTo(Schedule.forever, { times: TRIES - 1 })])

export class Transfers extends Context.Service<
  Transfers,
  {
    /** Downloads exactly `bytes` bytes; more or fewer fail. */
    readonly get: (url: string, bytes: number) => Effect.Effect<Uint8Array, TransferFailed>
    readonly put: (upload: Upload, bytes: Uint8Array) => Effect.Effect<void, TransferFailed>
  }
>()("agon/runner/Transfers") {
  static readonly layer: Layer.Layer<Transfers, never, HttpClient.HttpClient> = Layer.effect(
    Transfers,
    Effect.map(HttpClient.HttpClient, (client) => {
      // With a scope: the rest of an answer is given up, and its connection with it.
      const scoped = HttpClient.withScope(client)
      const exchange = (request: HttpClientRequest.HttpClientRequest, most: number, answer_s: number) =>
        scoped.execute(request).pipe(
          within(answer_s, "no answer"),
          Effect.flatMap(
            (response): Effect.Effect<Uint8Array, TransferFailed | HttpClientError.HttpClientError> =>
              response.status >= 200 && response.status < 300
                ? firstBytes(response, most)
                : Effect.fail(
                    new TransferFailed({ detail: `the object store answered ${response.status}`, gone: GONE.has(response.status) })
                  )
          ),
          Effect.scoped,
          Effect.mapError((error) =>
            error instanceof TransferFailed ? error : new TransferFailed({ detail: String(error._tag), gone: false })
          )
        )
      return Transfers.of({
        get: (url, bytes) =>
          bytes > FILE_BYTES_MAX
            ? Effect.fail(new TransferFailed({ detail: `the file would have ${bytes} bytes; ${FILE_BYTES_MAX} are read`, gone: false }))
            : exchange(HttpClientRequest.get(url), bytes, ANSWER_S).pipe(
                Effect.filterOrFail(
                  (found) => found.length === bytes,
                  ({ length }) => {
                    const has = length > bytes ? `more than ${bytes} bytes` : `${length} bytes, not ${bytes}`
                    return new TransferFailed({ detail: `the file has ${has}`, gone: true })
                  }
                ),
                again(TRIES_S + slowest_s(bytes))
              ),
        put: ({ headers, url }, bytes) =>
          exchange(
            HttpClientRequest.put(url).pipe(
              HttpClientRequest.setHeaders(headers),
              HttpClientRequest.setBody(HttpBody.uint8Array(bytes, headers["content-type"] ?? "application/octet-stream"))
            ),
            THANKS_BYTES_MAX,
            ANSWER_S + slowest_s(bytes.length)
          ).pipe(again(TRIES_S + slowest_s(bytes.length)), Effect.asVoid)
      })
    })
  )
}

/** How long the bytes take at the slowest rate. */
const slowest_s = (bytes: number) => Math.ceil(bytes / BYTES_PER_S_MIN)

const late = (seconds: number, what: string) => new TransferFailed({ detail: `${what} in ${seconds} s`, gone: false })

const within = (seconds: number, what: string) =>
  Effect.timeoutOrElse({ duration: Duration.seconds(seconds), orElse: () => Effect.fail(late(seconds, what)) })

/** Tries again; where it is not done after so many seconds it fails as the last try did. */
const again =
  (seconds: number) =>
  <A>(transfer: Effect.Effect<A, TransferFailed>): Effect.Effect<A, TransferFailed> =>
    Effect.flatMap(Clock.currentTimeMillis, (began) => {
      let last: TransferFailed | undefined
      const isAway = ({ gone }: TransferFailed) => Effect.map(Clock.currentTimeMillis, (now) => !gone && now - began < TRIES_S * 1_000)
      const tries = Effect.tapError(transfer, (error) => Effect.sync(() => void (last = error))).pipe(
        Effect.retry({ schedule: PAUSES, while: isAway }),
        Effect.retry({ schedule: BACKOFF, while: ({ gone }) => gone })
      )
      return Effect.timeoutOrElse(tries, {
        duration: Duration.seconds(seconds),
        orElse: () => Effect.fail(last ?? late(seconds, "not done"))
      })
    })

/** The body, or a little more than `most` bytes of one that is longer. */
const firstBytes = ({ stream }: HttpClientResponse.HttpClientResponse, most: number) =>
  Effect.suspend(() => {
    let read = 0
    const isOver = ({ length }: Uint8Array) => {
      read += length
      return read > most
    }
    const timely = Stream.timeoutOrElse(stream, {
      duration: Duration.seconds(CHUNK_S),
      orElse: () => Stream.fail(late(CHUNK_S, "no byte"))
    })
    return Effect.map(Stream.runCollect(Stream.takeUntil(timely, isOver)), (chunks): Uint8Array => Buffer.concat(chunks))
  })
