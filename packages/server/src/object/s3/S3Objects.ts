/**
 * Objects in an S3 bucket. Uploads go straight to the bucket with `x-amz-checksum-sha256` among the signed
 * headers; AWS and MinIO enforce it, Swift 2.30 and radosgw 16 store any body, and no presigned PUT can bound
 * a length that is not known exactly. So size and hash are checked in `verify`, and matches never read from a
 * key that clients can write to.
 */
import { createHash } from "node:crypto"
import { openAsBlob } from "node:fs"
import { Clock, DateTime, Effect, Layer, Option } from "effect"
import { collect } from "../contentMeter.ts"
import { IMMUTABLE, ObjectStore, ObjectsUnavailable, ObjectTooLarge, type Upload, type UploadRequest } from "../ObjectStore.ts"
import { proven } from "../proven.ts"
import { s3List } from "./s3List.ts"
import { refusePublic } from "./s3Public.ts"
import { bodyOf, discard, lengthOf, openObject, removeObject, type S3Options, type S3Requests, s3Requests } from "./s3Requests.ts"
import { s3Verify } from "./s3Verify.ts"

/** Whether there is a bucket: somebody waits for the start. */
const BUCKET_TIMEOUT = "10 seconds"
/** So long nothing is said of a start that waits for the store. */
const SILENT_FOR = "3 seconds"
/** A few hundred MB to a bucket far away. */
const FILE_TIMEOUT = "10 minutes"

const makeStore = (requests: S3Requests, bucket: string): (typeof ObjectStore)["Service"] => {
  const { send, presign } = requests
  const uploadAt = ({ key, sha256, max_bytes, expires_s }: UploadRequest, now_ms: number): Upload => {
    const headers: Record<string, string> =
      sha256 === null ? {} : { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") }
    const expires_at = DateTime.makeUnsafe((Math.floor(now_ms / 1000) + expires_s) * 1000)
    return { method: "PUT", url: presign("PUT", key, expires_s, headers, now_ms), headers, max_bytes, expires_at }
  }
  return {
    presignPut: (request) => Effect.map(Clock.currentTimeMillis, (now_ms) => uploadAt(request, now_ms)),
    presignPuts: (requests) => Effect.map(Clock.currentTimeMillis, (now_ms) => requests.map((request) => uploadAt(request, now_ms))),
    presignGet: ({ key, expires_s }) => Effect.map(Clock.currentTimeMillis, (now_ms) => presign("GET", key, expires_s, {}, now_ms)),
    stat: Effect.fnUntraced(function* (key) {
      const response = yield* send({ operation: "stat", method: "HEAD", key, answers: [404] })
      return response.status === 404 ? Option.none() : Option.some({ bytes: lengthOf(response) })
    }),
    list: s3List(requests),
    verify: s3Verify(requests, bucket),
    get: Effect.fnUntraced(function* ({ key, max_bytes }) {
      const opened = yield* openObject(requests, "get", key)
      if (Option.isNone(opened)) return Option.none()
      const bytes = yield* collect(bodyOf("get", key, opened.value), max_bytes)
      return bytes === "too_large" ? yield* new ObjectTooLarge({ key, max_bytes }) : Option.some(yield* proven(key, bytes))
    }),
    put: Effect.fnUntraced(function* (key, bytes) {
      // The signature covers the body's hash, which every server checks, Swift included.
      const headers = {
        "x-amz-content-sha256": createHash("sha256").update(bytes).digest("hex"),
        "content-type": "application/octet-stream"
      }
      yield* Effect.flatMap(send({ operation: "put", method: "PUT", key, headers, body: new Uint8Array(bytes) }), discard)
    }),
    putFile: Effect.fnUntraced(function* (key, { path, sha256 }) {
      const headers = { "x-amz-content-sha256": sha256, "content-type": "application/octet-stream", "cache-control": IMMUTABLE }
      const body = yield* Effect.tryPromise({
        try: () => openAsBlob(path),
        catch: (cause) => new ObjectsUnavailable({ operation: "put", key, detail: String(cause) })
      })
      yield* Effect.flatMap(send({ operation: "put", method: "PUT", key, headers, body, timeout: FILE_TIMEOUT }), discard)
    }),
    freeShare: Effect.succeed(1),
    remove: (key) => removeObject(requests, key)
  }
}

const isThere = ({ send }: S3Requests) =>
  Effect.map(
    send({ operation: "bucket", method: "HEAD", key: "", answers: [404], timeout: BUCKET_TIMEOUT }),
    ({ status }) => status !== 404
  )

/** Makes the bucket where it is missing. When two nodes start at once, one is told that it exists already. */
const ensureBucket = Effect.fnUntraced(function* (requests: S3Requests, { bucket, region }: S3Options) {
  if (yield* isThere(requests)) return
  const { send } = requests
  const place = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  const body = region === "us-east-1" ? {} : { body: new TextEncoder().encode(place) }
  yield* Effect.flatMap(send({ operation: "bucket", method: "PUT", key: "", ...body, answers: [409] }), discard)
  yield* send({ operation: "bucket", method: "HEAD", key: "", timeout: BUCKET_TIMEOUT })
  yield* Effect.logInfo("the bucket was missing and has been made", { bucket })
})

/** How a fault is mended that its code alone does not say; none of a clock, which says it. */
const MENDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^403\b(?!.*clock)/, "look at S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and what they may do there"],
  [/CERT|VERIFY|SELF_SIGNED/, "it takes a certificate that Node or NODE_EXTRA_CA_CERTS trusts"]
]

/** Names the bucket, and where it is known what to mend. */
const aboutBucket =
  ({ accessKeyId, bucket, endpoint }: S3Options) =>
  ({ detail }: ObjectsUnavailable) => {
    const about = [`bucket ${bucket} at ${endpoint} as ${accessKeyId}: ${detail}`]
    const mend = MENDS.find(([fault]) => fault.test(detail))?.[1] ?? []
    return new ObjectsUnavailable({ operation: "bucket", key: "", detail: about.concat(mend).join("; ") })
  }

/** Whether there is a bucket, without making one. */
export const hasBucket = (options: S3Options) => Effect.mapError(isThere(s3Requests(options)), aboutBucket(options))

/** A line where the store takes long: the rest of a start is a matter of seconds, and on a terminal nothing else would be said. */
const toldIfLong = <A, E, R>(waiting: Effect.Effect<A, E, R>, { bucket, endpoint }: S3Options): Effect.Effect<A, E, R> => {
  const line = Effect.delay(Effect.logWarning("the start waits for the object store", { at: endpoint, bucket }), SILENT_FOR)
  return Effect.raceFirst(waiting, Effect.andThen(line, Effect.never))
}

/**
 * Fails at the start, in one line, where the endpoint, the keys or the bucket are wrong, or the
 * bucket is open to everybody.
 */
export const layer = (options: S3Options): Layer.Layer<ObjectStore, ObjectsUnavailable> =>
  Layer.effect(
    ObjectStore,
    Effect.suspend(() => {
      const requests = s3Requests(options)
      return toldIfLong(Effect.andThen(ensureBucket(requests, options), refusePublic(requests)), options).pipe(
        Effect.mapError(aboutBucket(options)),
        Effect.as(makeStore(requests, options.bucket))
      )
    })
  )
