/** Links by which a competitor sends a version's two files. */

import type { Uploads } from "@agon/api/submission/api.ts"
import type { Repeated } from "@agon/domain/season/Command.ts"
import { hexOf } from "@agon/engine/hash.ts"
import { DateTime, Effect } from "effect"
import type { SharedClock } from "../database/SharedClock.ts"
import { incomingKey } from "../object/keys.ts"
import type { ObjectStore } from "../object/ObjectStore.ts"
import type { StoredObjects } from "../object/StoredObjects.ts"

export const MANIFEST_BYTES_MAX = 64 * 1024
const FILES = ["weights", "manifest"] as const

interface Places {
  readonly objects: ObjectStore["Service"]
  readonly stored: StoredObjects["Service"]
  readonly shared: SharedClock["Service"]
}

/** Links for the two files, for the rest of the window. */
export const uploadsOf = Effect.fnUntraced(function* (
  { objects, shared, stored }: Places,
  { submitted: version, upload_until }: Repeated,
  { manifest_hash, weights_hash }: { readonly weights_hash: string; readonly manifest_hash: string },
  weights_max_bytes: number
) {
  const now = yield* shared.now_ms // the season that has set the window may be on another node
  const expires_s = Math.max(1, Math.ceil(((upload_until ?? now) - now) / 1000))
  yield* stored.expect(
    FILES.map((kind) => incomingKey(version, kind)),
    now + expires_s * 1000
  )
  const put = (kind: "weights" | "manifest", hash: string, max_bytes: number) =>
    Effect.map(
      objects.presignPut({ key: incomingKey(version, kind), sha256: hexOf(hash), max_bytes, expires_s }),
      ({ expires_at: _, ...upload }) => upload
    )
  const weights = yield* put("weights", weights_hash, weights_max_bytes)
  const manifest = yield* put("manifest", manifest_hash, MANIFEST_BYTES_MAX)
  const expires_at = DateTime.formatIso(DateTime.makeUnsafe(upload_until ?? now))
  return { weights, manifest, expires_at } satisfies Uploads
})
