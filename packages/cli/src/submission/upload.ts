/** Uploads a version's files, with a line of progress where there is a terminal. */

import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Uploads } from "@agon/api/submission/api.ts"
import { type Files, sendFile, type UploadFailed } from "@agon/api/submission/sendFiles.ts"
import { MANIFEST_MAX_BYTES } from "@agon/sandbox/Manifest.ts"
import { Effect } from "effect"
import { CouldNotRun } from "../Answer.ts"
import { makeProgress } from "../Shown.ts"

const MIB = 1024 * 1024

const mib = (bytes: number) => (bytes / MIB).toFixed(1)

const sendWatched = Effect.fnUntraced(function* (upload: Uploads, { manifest, weights }: Files, quiet: boolean) {
  const total = weights.length + manifest.length
  const progress = yield* makeProgress(quiet)
  const at = (sent: number) => progress.show(`upload: ${Math.floor((100 * sent) / total)} % of ${mib(total)} MiB`)
  const sending = Effect.andThen(
    sendFile(upload.weights, weights, at),
    sendFile(upload.manifest, manifest, (sent) => at(weights.length + sent))
  )
  yield* Effect.ensuring(sending, progress.end)
})

const STORE_FULL = 507

/** Files that the store may take later are sent again by the same command; its other refusals are final. */
const unsent = (error: UploadFailed, expires_at: string) => {
  if (error.status !== null && error.status < 500) return error
  const why = error.status === STORE_FULL ? "The service's disk is nearly full and takes no files." : error.detail
  return new CouldNotRun({ message: `${why} The same command sends them again, until ${expires_at}.` })
}

const tooLarge = (what: string, bytes: number, max_bytes: number) =>
  new CouldNotRun({ message: `${what} ${bytes} bytes; the season takes ${max_bytes} at most.` })

/**
 * Refuses files that no season takes, or no class of this one holds, before a version is announced for them: it would wait for its
 * upload, and other files with it, until the window closes.
 */
export const checkSizes = Effect.fnUntraced(function* (client: Client, game: string, slug: string, { manifest, weights }: Files) {
  if (weights.length === 0) return yield* new CouldNotRun({ message: "The weights file is empty." })
  if (manifest.length > MANIFEST_MAX_BYTES) return yield* tooLarge("The manifest has", manifest.length, MANIFEST_MAX_BYTES)
  const { weight_classes } = yield* retryRefused(client.season.privateSeason({ params: { game, slug } }))
  const [bytes, largest] = [weights.length + manifest.length, Math.max(...weight_classes.map(({ max_bytes }) => max_bytes))]
  if (bytes > largest) return yield* tooLarge("Weights and manifest have", bytes, largest)
})

const overQuota = (what: string, bytes: number, left: number) =>
  new CouldNotRun({ message: `${what} ${bytes} bytes; your models at the service leave room for ${left} of the season's quota.` })

/** The store of files takes less than the season where the owner's quota is nearly used up. */
export const upload = Effect.fnUntraced(function* (uploads: Uploads, files: Files, quiet: boolean) {
  for (const name of ["weights", "manifest"] as const)
    if (files[name].length > uploads[name].max_bytes)
      return yield* overQuota(name === "weights" ? "The weights have" : "The manifest has", files[name].length, uploads[name].max_bytes)
  yield* Effect.mapError(sendWatched(uploads, files, quiet), (error) => unsent(error, uploads.expires_at))
})
