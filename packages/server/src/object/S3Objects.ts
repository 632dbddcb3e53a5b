/**
 * Objects in an S3 bucket. Uploads go straight to the bucket with `x-amz-checksum-sha256` among the signed headers;
 * AWS and MinIO enforce it, Swift 2.30 and radosgw 16 store any body, and no presigned PUT can bound a length that is
 * not known exactly. So size and hash bind in `verify`, and what outsiders can write to is never what play reads from.
 */
import { createHash } from "node:crypto"
import { DateTime, Effect, Layer, Option } from "effect"
import { collect, measure } from "./contentMeter.ts"
import {
  ObjectStore,
  type ObjectsUnavailable as Unavailable,
  ObjectsUnavailable,
  ObjectTooLarge,
  type Verdict,
  type VerifyRequest
} from "./ObjectStore.ts"
import { bodyOf, discard, type S3Options, type S3Requests, s3Requests } from "./s3Requests.ts"

/** Of one `verify`: a body that broke off on the way, or an object that was replaced while it was read. */
const VERIFY_ATTEMPTS = 3

const lengthOf = (response: Response): number => Number(response.headers.get("content-length") ?? 0)

const makeStore = ({ send, presign }: S3Requests, bucket: string): (typeof ObjectStore)["Service"] => {
  const remove = (key: string) => Effect.flatMap(send({ operation: "remove", method: "DELETE", key, answers: [404] }), discard)

  const open = Effect.fnUntraced(function* (operation: string, key: string) {
    const response = yield* send({ operation, method: "GET", key, answers: [404] })
    if (response.status !== 404) return Option.some(response)
    yield* discard(response)
    return Option.none()
  })

  /** "replaced" when the object is no longer the one that was hashed, which its ETag tells. */
  const take = Effect.fnUntraced(function* (key: string, into: string, etag: string) {
    const response = yield* send({
      operation: "verify",
      method: "PUT",
      key: into,
      headers: {
        "x-amz-copy-source": `/${bucket}/${key}`,
        "x-amz-copy-source-if-match": etag,
        // The uploader's content type and metadata stay behind.
        "x-amz-metadata-directive": "REPLACE",
        "content-type": "application/octet-stream"
      },
      answers: [404, 412]
    })
    const text = yield* Effect.promise(() => response.text().catch(() => "<Error>"))
    if (response.status === 404 || response.status === 412) return "replaced" as const
    // S3 starts a long copy's answer with 200 and may still end it with an error.
    if (text.includes("<Error>")) return yield* new ObjectsUnavailable({ operation: "verify", key: into, detail: "copy failed" })
    return "taken" as const
  })

  /** Nothing in the answer means that another look is due. */
  const look = Effect.fnUntraced(function* ({ key, sha256, max_bytes, into }: VerifyRequest) {
    const opened = yield* open("verify", key)
    if (Option.isNone(opened)) return Option.some<Verdict>("missing")
    const response = opened.value
    const declared_too_large = lengthOf(response) > max_bytes
    if (declared_too_large) yield* discard(response)
    const content = declared_too_large ? "too_large" : yield* measure(bodyOf("verify", key, response), max_bytes)
    if (content === "too_large" || content.sha256 !== sha256) {
      yield* remove(key)
      return Option.some<Verdict>(content === "too_large" ? content : "hash_mismatch")
    }
    const verdict = Option.some<Verdict>({ bytes: content.bytes })
    if (into === undefined || into === key) return verdict
    const taken = yield* take(key, into, response.headers.get("etag") ?? "")
    return taken === "taken" ? verdict : Option.none()
  })

  const verify = (request: VerifyRequest, attempts = VERIFY_ATTEMPTS): Effect.Effect<Verdict, Unavailable> =>
    Effect.matchEffect(look(request), {
      onFailure: (error) => (attempts > 1 ? verify(request, attempts - 1) : Effect.fail(error)),
      onSuccess: (verdict) => {
        if (Option.isSome(verdict)) return Effect.succeed(verdict.value)
        if (attempts > 1) return verify(request, attempts - 1)
        return Effect.fail(new ObjectsUnavailable({ operation: "verify", key: request.key, detail: "replaced while it was read" }))
      }
    })

  return {
    presignPut: Effect.fnUntraced(function* ({ key, sha256, max_bytes, expires_s }) {
      const headers = sha256 === null ? {} : { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") }
      const { url, expires_ms } = yield* presign("PUT", key, expires_s, headers)
      return { method: "PUT", url, headers, max_bytes, expires_at: DateTime.makeUnsafe(expires_ms) }
    }),
    presignGet: ({ key, expires_s }) => Effect.map(presign("GET", key, expires_s, {}), ({ url }) => url),
    stat: Effect.fnUntraced(function* (key) {
      const response = yield* send({ operation: "stat", method: "HEAD", key, answers: [404] })
      return response.status === 404 ? Option.none() : Option.some({ bytes: lengthOf(response) })
    }),
    verify: (request) => verify(request),
    get: Effect.fnUntraced(function* ({ key, max_bytes }) {
      const opened = yield* open("get", key)
      if (Option.isNone(opened)) return Option.none()
      const bytes = yield* collect(bodyOf("get", key, opened.value), max_bytes)
      return bytes === "too_large" ? yield* new ObjectTooLarge({ key, max_bytes }) : Option.some(bytes)
    }),
    put: Effect.fnUntraced(function* (key, bytes) {
      // Signed with the hash of the body, which every server checks, Swift included.
      const headers = {
        "x-amz-content-sha256": createHash("sha256").update(bytes).digest("hex"),
        "content-type": "application/octet-stream"
      }
      yield* Effect.flatMap(send({ operation: "put", method: "PUT", key, headers, body: new Uint8Array(bytes) }), discard)
    }),
    remove
  }
}

/** The bucket is made where it is missing; two nodes may start at once, then one is told that it exists. */
const ensureBucket = Effect.fnUntraced(function* ({ send }: S3Requests, region: string) {
  const found = yield* send({ operation: "bucket", method: "HEAD", key: "", answers: [404] })
  if (found.status !== 404) return
  const place = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  const body = region === "us-east-1" ? {} : { body: new TextEncoder().encode(place) }
  yield* Effect.flatMap(send({ operation: "bucket", method: "PUT", key: "", ...body, answers: [409] }), discard)
  yield* send({ operation: "bucket", method: "HEAD", key: "" })
})

/** Fails at the start, in one line, where the endpoint, the keys or the bucket are wrong. */
const layer = (options: S3Options): Layer.Layer<ObjectStore, Unavailable> =>
  Layer.effect(
    ObjectStore,
    Effect.suspend(() => {
      const requests = s3Requests(options)
      return ensureBucket(requests, options.region).pipe(
        Effect.mapError(({ detail }) => {
          const about = `bucket ${options.bucket} at ${options.endpoint} as ${options.accessKeyId}: ${detail}`
          return new ObjectsUnavailable({ operation: "bucket", key: "", detail: about })
        }),
        Effect.as(makeStore(requests, options.bucket))
      )
    })
  )

export const S3Objects = { layer }
