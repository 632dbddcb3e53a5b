/**
 * Short replays, which are rows beside their matches (the table `replay`), read as objects are.
 *
 * A replay that comes within its result is written in the commit that ends the match: it is there if and only
 * if the match is, one flush serves both, and nothing is left of a result that was refused. As a file it took
 * six steps and a flush of its own, as an object in a bucket a request, and both came before the commit.
 */

import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { matchOfInline } from "./keys.ts"
import { ObjectStore, ObjectsUnavailable, ObjectTooLarge } from "./ObjectStore.ts"
import { makeSignedUrls, type SignedUrls, type SignedUrlsOptions } from "./SignedUrls.ts"

export class InlineReplays extends Context.Service<
  InlineReplays,
  {
    readonly urls: SignedUrls
    /** The match's replay if it is a row; else none. */
    readonly read: (match: string) => Effect.Effect<Option.Option<Uint8Array>, ObjectsUnavailable>
  }
>()("agon/object/InlineReplays") {
  /** The store beneath, with the replays that are rows among its objects. */
  static readonly layer = (
    options: SignedUrlsOptions
  ): Layer.Layer<ObjectStore | InlineReplays, never, ObjectStore | SqlClient.SqlClient> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const inline = InlineReplays.of({ urls: makeSignedUrls(options), read: yield* makeRead })
        return Context.make(ObjectStore, withReplays(objects, inline)).pipe(Context.add(InlineReplays, inline))
      })
    )
}

/** One row by the primary key. */
const makeRead = Effect.map(
  SqlClient.SqlClient,
  (sql) => (match: string) =>
    sql<{ readonly content: Uint8Array }>`SELECT content FROM replay WHERE match_id = ${match}`.pipe(
      Effect.mapError(({ message }) => new ObjectsUnavailable({ operation: "get", key: match, detail: message })),
      Effect.map(([row]) => Option.fromUndefinedOr(row?.content))
    )
)

const withReplays = (objects: ObjectStore["Service"], { read, urls }: InlineReplays["Service"]): ObjectStore["Service"] => ({
  ...objects,
  presignGet: (request) => (matchOfInline(request.key) === undefined ? objects.presignGet(request) : urls.get(request)),
  get: Effect.fnUntraced(function* (request) {
    const match = matchOfInline(request.key)
    if (match === undefined) return yield* objects.get(request)
    const found = yield* read(match)
    if (Option.isSome(found) && found.value.byteLength > request.max_bytes) return yield* new ObjectTooLarge(request)
    return found
  })
})
