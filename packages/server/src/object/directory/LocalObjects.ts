/**
 * Objects in a directory, with URLs that the service itself answers under `/objects/` (http.ts). The checksum and the
 * size are checked during the PUT, so a stored object is correct until the disk damages it, which `get` finds.
 */
import { Context, Effect, Layer, Option } from "effect"
import { ObjectStore, ObjectsUnavailable, ObjectTooLarge } from "../ObjectStore.ts"
import { proven } from "../proven.ts"
import { makeSignedUrls, type SignedUrls, type SignedUrlsOptions } from "../SignedUrls.ts"
import { makeUploads, type Uploads } from "../Uploads.ts"
import { type ObjectDirectory, openObjectDirectory, readPath } from "./ObjectDirectory.ts"

interface LocalObjectsOptions extends SignedUrlsOptions {
  readonly directory: string
  /** Whether other nodes write to the directory as well. */
  readonly isShared?: boolean
}

/** The part of the local store that the routes need: the directory and the reading of signed URLs. */
export class LocalObjects extends Context.Service<
  LocalObjects,
  {
    readonly directory: ObjectDirectory
    readonly uploads: Uploads
    readonly urls: SignedUrls
  }
>()("agon/object/LocalObjects") {
  static readonly layer = (options: LocalObjectsOptions): Layer.Layer<ObjectStore | LocalObjects, ObjectsUnavailable> =>
    Layer.effectContext(
      Effect.map(openObjectDirectory(options.directory, options.isShared), (directory) => {
        const urls = makeSignedUrls(options)
        return Context.make(ObjectStore, makeStore(directory, urls)).pipe(
          Context.add(LocalObjects, { directory, uploads: makeUploads(), urls })
        )
      })
    )
}

const makeStore = (directory: ObjectDirectory, urls: SignedUrls): (typeof ObjectStore)["Service"] => ({
  presignPut: (request) => Effect.map(urls.now_ms, (now_ms) => urls.put(request, now_ms)),
  presignPuts: (requests) => Effect.map(urls.now_ms, (now_ms) => requests.map((request) => urls.put(request, now_ms))),
  presignGet: urls.get,
  stat: directory.stat,
  list: directory.list,
  verify: directory.verify,
  get: Effect.fnUntraced(function* ({ key, max_bytes }) {
    const bytes = yield* directory.readWhole(key, max_bytes)
    if (bytes === undefined) return Option.none()
    return bytes === "too_large" ? yield* new ObjectTooLarge({ key, max_bytes }) : Option.some(yield* proven(key, bytes))
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
