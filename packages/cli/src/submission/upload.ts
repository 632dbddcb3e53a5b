/** Uploads a version's files, with a line of progress where there is a terminal. */

import type { Uploads } from "@agon/api/submission/api.ts"
import { type Files, sendFile } from "@agon/api/submission/sendFiles.ts"
import { Effect, Terminal } from "effect"
import { CouldNotRun } from "../Answer.ts"

const MIB = 1024 * 1024
const CLEAR_LINE = "\r\x1b[2K"

const mib = (bytes: number) => (bytes / MIB).toFixed(1)

/** Shows how much of both files is sent; prints nothing where the output is not a terminal. */
const makeProgress = Effect.fnUntraced(function* (total: number, quiet: boolean) {
  const terminal = yield* Terminal.Terminal
  const live = !quiet && (yield* terminal.columns) > 0
  const show = (text: string) => (live ? Effect.ignore(terminal.display(`${CLEAR_LINE}${text}`)) : Effect.void)
  return {
    at: (sent: number) => show(`upload: ${Math.floor((100 * sent) / total)} % of ${mib(total)} MiB`),
    end: show("")
  }
})

const sendWatched = Effect.fnUntraced(function* (upload: Uploads, { manifest, weights }: Files, quiet: boolean) {
  const progress = yield* makeProgress(weights.length + manifest.length, quiet)
  const sending = Effect.andThen(
    sendFile(upload.weights, weights, progress.at),
    sendFile(upload.manifest, manifest, (sent) => progress.at(weights.length + sent))
  )
  yield* Effect.ensuring(sending, progress.end)
})

export const upload = Effect.fnUntraced(function* (uploads: Uploads, files: Files, quiet: boolean) {
  for (const [name, { max_bytes }] of [["weights", uploads.weights] as const, ["manifest", uploads.manifest] as const])
    if (files[name].length > max_bytes)
      return yield* new CouldNotRun({ message: `The ${name} have ${files[name].length} bytes; the season takes ${max_bytes} at most.` })
  yield* sendWatched(uploads, files, quiet)
})
