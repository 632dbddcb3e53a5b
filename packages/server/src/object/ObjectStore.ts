/**
 * The store of weights, manifests, datasets and long replays: a directory or an S3 bucket, behind one
 * interface. Short replays are rows (InlineReplays.ts), which are read through it as well.
 *
 * Protocol. Trusted objects lie under content addresses that no client can write to. A client uploads through a
 * presigned URL to a separate incoming key, and the service moves the bytes to their content address only after it has
 * measured and hashed them itself:
 *
 *   presignPut(incoming/<version>/weights) -> the owner PUTs -> verify(that key, into weights/sha256/<hex>)
 *                                          -> the caller commits -> remove(incoming/<version>/weights)
 *
 * Why not sign a PUT on the content address: an S3 server that ignores the checksum header (Swift and radosgw do) lets
 * the second uploader of a hash replace the first one's verified object for as long as the URL lives, and anyone who
 * knows a hash would count as its uploader without having the bytes. Two uploads of the same bytes under two incoming
 * keys end in the same object, whichever is verified first. `verify` leaves the incoming object in place so that a
 * caller who crashes before its commit can repeat it; both `verify` and `remove` are idempotent.
 */
import { Context, type DateTime, type Effect, type Option, Schema } from "effect"

/** The store did not answer, or its answer broke the protocol. The caller may try again later. */
export class ObjectsUnavailable extends Schema.TaggedError<ObjectsUnavailable>()("ObjectsUnavailable", {
  operation: Schema.String,
  key: Schema.String,
  detail: Schema.String
}) {}

/** `get` refuses to read an object of more than `max_bytes` into memory. */
export class ObjectTooLarge extends Schema.TaggedError<ObjectTooLarge>()("ObjectTooLarge", {
  key: Schema.String,
  max_bytes: Schema.Int
}) {}

/**
 * `sha256` is 64 hex digits; null where the bytes are not known in advance (replays), and then
 * only `max_bytes` is enforced.
 */
export interface UploadRequest {
  readonly key: string
  readonly sha256: string | null
  readonly max_bytes: number
  readonly expires_s: number
}

/**
 * One PUT with exactly these headers. A local store refuses bad bytes at the PUT (413, 400); S3
 * does where it can detect them.
 */
export interface Upload {
  readonly method: "PUT"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly max_bytes: number
  readonly expires_at: DateTime.Utc
}

export interface VerifyRequest {
  readonly key: string
  readonly sha256: string
  readonly max_bytes: number
  /** The key that the bytes are moved to once they are verified. Without it they stay where they are. */
  readonly into?: string
  /**
   * Wrong bytes that stay under `key`: those of another `hash`, where whoever named that may have been wrong
   * about it and asks again; or `all`, where they are removed once the refusal has been told.
   */
  readonly keeps?: "hash" | "all"
}

/**
 * The size, or a refusal; after a refusal nothing is left under `key`, unless it was to be kept, and
 * nothing was put into `into`.
 */
export type VerifyResult = { readonly bytes: number } | "missing" | "too_large" | "hash_mismatch"

export const isRemoved = (verdict: VerifyResult, keeps: VerifyRequest["keeps"]): boolean =>
  keeps !== "all" && (verdict === "too_large" || (verdict === "hash_mismatch" && keeps !== "hash"))

export interface StoredFile {
  readonly path: string
  readonly bytes: number
  /** 64 hex digits. */
  readonly sha256: string
}

/** For objects that are never replaced, to the clients that fetch them alone: a shared cache could outlive a URL. */
export const IMMUTABLE = "private, max-age=31536000, immutable"

export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    readonly presignPut: (request: UploadRequest) => Effect.Effect<Upload>
    /** One upload for each request, in the same order. */
    readonly presignPuts: (requests: ReadonlyArray<UploadRequest>) => Effect.Effect<ReadonlyArray<Upload>>
    /** A URL that answers GET with the bytes, or 404 where there are none. */
    readonly presignGet: (request: { readonly key: string; readonly expires_s: number }) => Effect.Effect<string>
    readonly stat: (key: string) => Effect.Effect<Option.Option<{ readonly bytes: number }>, ObjectsUnavailable>
    /** Measures and hashes the object by streaming it, and deletes it where it is wrong, unless it is to be kept. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<VerifyResult, ObjectsUnavailable>
    readonly get: (request: {
      readonly key: string
      readonly max_bytes: number
    }) => Effect.Effect<Option.Option<Uint8Array>, ObjectsUnavailable | ObjectTooLarge>
    /**
     * The objects under the folder `prefix`, in key order, from the first behind `after`;
     * `modified_at` in ms since 1970.
     */
    readonly list: (request: {
      readonly prefix: string
      readonly after?: string | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<{ readonly key: string; readonly modified_at: number }>, ObjectsUnavailable>
    readonly put: (key: string, bytes: Uint8Array) => Effect.Effect<void, ObjectsUnavailable>
    /** The same of a file of this machine, which is not read into memory. */
    readonly putFile: (key: string, file: StoredFile) => Effect.Effect<void, ObjectsUnavailable>
    /** The free share of the disk that holds the objects, 0 to 1. Always 1 for a bucket, whose capacity is unknown. */
    readonly freeShare: Effect.Effect<number, ObjectsUnavailable>
    /** Removing a missing object succeeds. */
    readonly remove: (key: string) => Effect.Effect<void, ObjectsUnavailable>
  }
>()("agon/object/ObjectStore") {}
