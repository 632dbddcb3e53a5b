/**
 * Where weights, manifests and replays lie: a directory or an S3 bucket, behind one shape.
 *
 * Protocol. What the service trusts lies under content addresses that nobody outside can write to; what comes from
 * outside is written through a presigned URL to a key of its own and taken over only after the service has sized and
 * hashed it itself:
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

/** The store did not answer, or answered with something else than its protocol: worth another try later. */
export class ObjectsUnavailable extends Schema.TaggedError<ObjectsUnavailable>()("ObjectsUnavailable", {
  operation: Schema.String,
  key: Schema.String,
  detail: Schema.String
}) {}

/** `get` refuses to bring an object of more than `max_bytes` into memory. */
export class ObjectTooLarge extends Schema.TaggedError<ObjectTooLarge>()("ObjectTooLarge", {
  key: Schema.String,
  max_bytes: Schema.Int
}) {}

/** `sha256` is 64 hex digits; null where the bytes are not known in advance (replays), then only `max_bytes` binds. */
export interface UploadRequest {
  readonly key: string
  readonly sha256: string | null
  readonly max_bytes: number
  readonly expires_s: number
}

/** One PUT with exactly these headers. A local store answers 413 and 400 at the PUT itself, S3 where it can tell. */
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
  /** Where the bytes go, and stay, once they have proved right. Without it they stay where they are. */
  readonly into?: string
}

/** Anything but the size means that nothing is left under `key` and nothing was put into `into`. */
export type Verdict = { readonly bytes: number } | "missing" | "too_large" | "hash_mismatch"

export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    readonly presignPut: (request: UploadRequest) => Effect.Effect<Upload>
    /** One for each, in their order. */
    readonly presignPuts: (requests: ReadonlyArray<UploadRequest>) => Effect.Effect<ReadonlyArray<Upload>>
    /** A URL that answers GET with the bytes, or 404 where there are none. */
    readonly presignGet: (request: { readonly key: string; readonly expires_s: number }) => Effect.Effect<string>
    readonly stat: (key: string) => Effect.Effect<Option.Option<{ readonly bytes: number }>, ObjectsUnavailable>
    /** Sizes and hashes what lies there by streaming it, deletes it where it is wrong. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<Verdict, ObjectsUnavailable>
    readonly get: (request: {
      readonly key: string
      readonly max_bytes: number
    }) => Effect.Effect<Option.Option<Uint8Array>, ObjectsUnavailable | ObjectTooLarge>
    /** What lies under the folder `prefix`, in the order of its keys, from the first behind `after`; `modified_at` in ms since 1970. */
    readonly list: (request: {
      readonly prefix: string
      readonly after?: string | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<{ readonly key: string; readonly modified_at: number }>, ObjectsUnavailable>
    readonly put: (key: string, bytes: Uint8Array) => Effect.Effect<void, ObjectsUnavailable>
    /** Of the disk that objects lie on, how much is free: 0 to 1. A bucket has no end that we could see: 1. */
    readonly freeShare: Effect.Effect<number, ObjectsUnavailable>
    /** Removing what is not there succeeds. */
    readonly remove: (key: string) => Effect.Effect<void, ObjectsUnavailable>
  }
>()("agon/object/ObjectStore") {}
