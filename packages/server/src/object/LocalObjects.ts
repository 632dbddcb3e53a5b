/**
 * Objects in a directory, with URLs that the service itself answers under `/objects/` (http.ts). The checksum and the
 * size are checked during the PUT, so a stored object is always correct.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { hmacSha256, type Mac } from "./hmacSha256.ts"
import { type ObjectDirectory, openObjectDirectory, readPath } from "./ObjectDirectory.ts"
import { ObjectStore, ObjectsUnavailable, ObjectTooLarge, type Upload, type UploadRequest } from "./ObjectStore.ts"
import { assertObjectKey } from "./objectKey.ts"
import { makeUploads, type Uploads } from "./Uploads.ts"
import { type Grant, type Refusal, readGrant, signedUrl } from "./urlSignature.ts"

export interface LocalObjectsOptions {
  readonly directory: string
  /** Signs the URLs; a new one makes every URL given out before invalid. */
  readonly secret: Redacted.Redacted<string>
  /** `http://host:port` without a path, as competitors and runners reach the service. */
  readonly publicOrigin: string
  /** Whether other nodes write to the directory as well. */
  readonly isShared?: boolean
}

const now_s = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1000))

/** The part of the local store that the routes need: the directory and the reading of signed URLs. */
export class LocalObjects extends Context.Service<
  LocalObjects,
  {
    readonly directory: ObjectDirectory
    readonly uploads: Uploads
    readonly readGrant: (method: "GET" | "PUT", url: string) => Effect.Effect<Grant | Refusal>
  }
>()("agon/object/LocalObjects") {
  static readonly layer = (options: LocalObjectsOptions): Layer.Layer<ObjectStore | LocalObjects, ObjectsUnavailable> =>
    Layer.effectContext(
      Effect.map(openObjectDirectory(options.directory, options.isShared), (directory) => {
        const mac = hmacSha256(Redacted.value(options.secret))
        return Context.make(ObjectStore, makeStore(directory, mac, options.publicOrigin)).pipe(
          Context.add(LocalObjects, {
            directory,
            uploads: makeUploads(),
            readGrant: (method, url) => Effect.map(now_s, (now) => readGrant(mac, method, url, now))
          })
        )
      })
    )
}

const makeStore = (directory: ObjectDirectory, mac: Mac, origin: string): (typeof ObjectStore)["Service"] => ({
  presignPut: (request) => Effect.map(Clock.currentTimeMillis, (now_ms) => uploadAt(mac, origin, request, now_ms)),
  presignPuts: (requests) =>
    Effect.map(Clock.currentTimeMillis, (now_ms) => requests.map((request) => uploadAt(mac, origin, request, now_ms))),
  presignGet: ({ key, expires_s }) =>
    Effect.map(now_s, (now) => signedUrl(mac, origin, { method: "GET", key: assertObjectKey(key), expires: now + expires_s })),
  stat: directory.stat,
  list: directory.list,
  verify: directory.verify,
  get: Effect.fnUntraced(function* ({ key, max_bytes }) {
    const bytes = yield* directory.readWhole(key, max_bytes)
    if (bytes === undefined) return Option.none()
    return bytes === "too_large" ? yield* new ObjectTooLarge({ key, max_bytes }) : Option.some(bytes)
  }),
  put: Effect.fnUntraced(function* (key, bytes) {
    const request = { key, sha256: null, max_bytes: bytes.byteLength }
    const stored = yield* directory.receiveWhole(request, bytes)
    if (typeof stored === "string") return yield* new ObjectsUnavailable({ operation: "put", key, detail: stored })
  }),
  putFile: Effect.fnUntraced(function* (key, { bytes, path, sha256 }) {
    const stored = yield* directory.receive({ key, sha256, max_bytes: bytes }, readPath(key, path))
    if (typeof stored === "string") return yield* new ObjectsUnavailable({ operation: "put", key, detail: stored })
  }),
  freeShare: Effect.map(directory.room, ({ free_bytes, total_bytes }) => free_bytes / total_bytes),
  remove: directory.remove
})

const uploadAt = (mac: Mac, origin: string, { expires_s, key, max_bytes, sha256 }: UploadRequest, now_ms: number): Upload => {
  const expires = Math.floor(now_ms / 1000) + expires_s
  const url = signedUrl(mac, origin, { method: "PUT", key: assertObjectKey(key), expires, sha256, max_bytes })
  return { method: "PUT", url, headers: {}, max_bytes, expires_at: DateTime.makeUnsafe(expires * 1000) }
}
