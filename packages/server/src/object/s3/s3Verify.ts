/**
 * Measures and hashes an object in S3, and moves it into place by a server-side copy. The copy is
 * conditional on the ETag of the hashed bytes, so an upload in between is never copied. (An ETag is an MD5:
 * an author could exchange two bodies of equal MD5, but would only break their own weights, since runners
 * hash the files that they fetch.)
 *
 * A proxy, or one node of a store, may answer with bytes that nobody sent. So an upload is wrong only once two answers in
 * a row were wrong in the same way; until then it stays where it is.
 */
import { Effect, Option } from "effect"
import { measure } from "../contentMeter.ts"
import { isRemoved, ObjectsUnavailable, type VerifyRequest, type VerifyResult } from "../ObjectStore.ts"
import { bodyOf, discard, lengthOf, openObject, removeObject, type S3Requests, textOf } from "./s3Requests.ts"

/** The answer to a copy is some hundred bytes, behind the spaces that S3 sends while it copies. */
const COPY_BYTES_MAX = 65_536
/** Attempts of one `verify`, repeated when a body broke off, was wrong for the first time, or was replaced while it was read. */
const VERIFY_ATTEMPTS = 3

export const s3Verify = (requests: S3Requests, bucket: string) => {
  /** "replaced" when the ETag shows that the object is no longer the one that was hashed. */
  const take = Effect.fnUntraced(function* (key: string, into: string, etag: string) {
    const response = yield* requests.send({
      operation: "verify",
      method: "PUT",
      key: into,
      headers: {
        "x-amz-copy-source": `/${bucket}/${key}`,
        "x-amz-copy-source-if-match": etag,
        // The uploader's content type and metadata are not copied.
        "x-amz-metadata-directive": "REPLACE",
        "content-type": "application/octet-stream"
      },
      answers: [404, 412]
    })
    if (response.status === 404 || response.status === 412) return yield* Effect.as(discard(response), "replaced" as const)
    const text = yield* textOf("verify", into, response, COPY_BYTES_MAX)
    // S3 starts a long copy's answer with 200 and may still end it with an error.
    if (text.includes("<Error")) return yield* new ObjectsUnavailable({ operation: "verify", key: into, detail: "copy failed" })
    return "taken" as const
  })

  /** `wrong` is what the look before this one found wrong. */
  const look = Effect.fnUntraced(function* ({ key, sha256, max_bytes, into, keeps }: VerifyRequest, wrong?: string) {
    const opened = yield* openObject(requests, "verify", key)
    if (Option.isNone(opened)) return settled("missing")
    const response = opened.value
    const declared_too_large = lengthOf(response) > max_bytes
    if (declared_too_large) yield* discard(response)
    const content = declared_too_large ? "too_large" : yield* measure(bodyOf("verify", key, response), max_bytes)
    const verdict: VerifyResult = content === "too_large" ? content : content.sha256 === sha256 ? { bytes: content.bytes } : "hash_mismatch"
    if (typeof verdict === "string") {
      const found = content === "too_large" ? content : content.sha256
      if (found !== wrong) return again({ wrong: found, detail: "its answers differ" })
      if (isRemoved(verdict, keeps)) yield* removeObject(requests, key)
      return settled(verdict)
    }
    if (into === undefined || into === key) return settled(verdict)
    const taken = yield* take(key, into, response.headers.get("etag") ?? "")
    return taken === "taken" ? settled(verdict) : again({ detail: "replaced while it was read" })
  })

  const verify = (request: VerifyRequest, attempts = VERIFY_ATTEMPTS, wrong?: string): Effect.Effect<VerifyResult, ObjectsUnavailable> =>
    Effect.matchEffect(look(request, wrong), {
      onFailure: (error) => (attempts > 1 ? verify(request, attempts - 1) : Effect.fail(error)),
      onSuccess: (seen) => {
        if ("verdict" in seen) return Effect.succeed(seen.verdict)
        if (attempts > 1) return verify(request, attempts - 1, seen.wrong)
        return Effect.fail(new ObjectsUnavailable({ operation: "verify", key: request.key, detail: seen.detail }))
      }
    })

  return (request: VerifyRequest) => verify(request)
}

const settled = (verdict: VerifyResult) => ({ verdict })
/** The check has to be repeated. */
const again = (why: { readonly wrong?: string; readonly detail: string }) => why
