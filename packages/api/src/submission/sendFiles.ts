/** Sends a version's two files to the URLs in the answer to a submission or to the record of a baseline. */
import { Duration, Effect, Schedule, Schema, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import type { Upload } from "../Wire.ts"
import type { Uploads } from "./api.ts"

/**
 * `status` is the object store's, null where it did not answer. 413 is too large, 400 other bytes
 * than announced, 403 too late.
 */
export class UploadFailed extends Schema.TaggedError<UploadFailed>()("UploadFailed", {
  status: Schema.NullOr(Schema.Int),
  detail: Schema.String
}) {}

export interface Files {
  readonly weights: Uint8Array
  readonly manifest: Uint8Array
}

/** For a large file on a slow line; its URL is valid for longer. */
const TIMEOUT = Duration.minutes(10)
/** A file may be sent repeatedly; a refusal by the store is final. */
const TRIES = 3
const again = Schedule.max([Schedule.jittered(Schedule.exponential("500 millis")), Schedule.upTo(Schedule.forever, { times: TRIES - 1 })])

/** Is told how many bytes have gone out, from the beginning again where a file is sent again. */
export type OnSent = (sent_bytes: number) => Effect.Effect<void>

const CHUNK_BYTES = 256 * 1024

/** The bytes piece by piece, each told when it is asked for: all before it are on their way. */
const watched = (bytes: Uint8Array, onSent: OnSent) =>
  Stream.range(0, Math.ceil(bytes.length / CHUNK_BYTES) - 1).pipe(
    Stream.mapEffect((n) => Effect.as(onSent(n * CHUNK_BYTES), bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES)))
  )

export const sendFile = (
  { headers, url }: Upload,
  bytes: Uint8Array,
  onSent?: OnSent
): Effect.Effect<void, UploadFailed, HttpClient.HttpClient> => {
  const type = headers["content-type"] ?? "application/octet-stream"
  const body = onSent === undefined ? HttpBody.uint8Array(bytes, type) : HttpBody.stream(watched(bytes, onSent), type, bytes.length)
  const request = HttpClientRequest.put(url).pipe(HttpClientRequest.setHeaders(headers), HttpClientRequest.setBody(body))
  return HttpClient.execute(request).pipe(
    Effect.timeout(TIMEOUT),
    Effect.mapError(({ _tag }) => new UploadFailed({ status: null, detail: `The object store did not answer: ${_tag}.` })),
    Effect.flatMap(({ status }) =>
      status >= 200 && status < 300
        ? Effect.void
        : Effect.fail(new UploadFailed({ status, detail: `The object store answered ${status}.` }))
    ),
    Effect.retry({ schedule: again, while: ({ status }) => status === null || status >= 500 })
  )
}

/** Sends both files; the review starts within two seconds of the second. */
export const sendFiles = ({ manifest, weights }: Uploads, files: Files) =>
  Effect.all([sendFile(weights, files.weights), sendFile(manifest, files.manifest)], { discard: true })
