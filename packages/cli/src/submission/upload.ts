/** Uploads a version's files, with a line of progress where there is a terminal. */

import type { Uploads } from "@agon/api/submission/api.ts"
import { type Files, sendFile } from "@agon/api/submission/sendFiles.ts"
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

export const upload = Effect.fnUntraced(function* (uploads: Uploads, files: Files, quiet: boolean) {
  for (const [name, { max_bytes }] of [["weights", uploads.weights] as const, ["manifest", uploads.manifest] as const])
    if (files[name].length > max_bytes)
      return yield* new CouldNotRun({ message: `The ${name} have ${files[name].length} bytes; the season takes ${max_bytes} at most.` })
  yield* sendWatched(uploads, files, quiet)
})
