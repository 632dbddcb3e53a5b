/** Results that wait to be told, with the work that they are of. */

import type { LeasedResult, Result, Work } from "@agon/api/runner/protocol.ts"
import { Effect } from "effect"
import { Worker } from "./Worker.ts"

export interface Done {
  readonly work: Work
  readonly result: Result
}

/** Replays in one request, so that it ends in its time over a slow line as well. */
const INLINE_BYTES_MAX = 131_072

const inlineOf = ({ result }: Done): string | undefined => ("replay" in result ? result.replay.inline : undefined)

/** The first ones, as many as one request has room for: at least one, at most `most`. */
export const requestOf = (done: ReadonlyArray<Done>, most: number): ReadonlyArray<Done> => {
  let bytes = 0
  const next = done.findIndex((one, i) => {
    bytes += inlineOf(one)?.length ?? 0
    return i === most || (i > 0 && bytes > INLINE_BYTES_MAX)
  })
  return next < 0 ? done : done.slice(0, next)
}

/** As a lease request carries it. */
export const leasedOf = ({ result, work }: Done) => ({ lease: work.lease, ...result }) as LeasedResult

/**
 * The same result with its replay uploaded, for a service that did not take it inline: one of an
 * earlier release, beside the one that opened the session. Undefined where there is no such replay,
 * or it could not be uploaded.
 */
export const uploaded = Effect.fnUntraced(function* (done: Done) {
  const { result, work } = done
  const inline = inlineOf(done)
  if (inline === undefined || work.kind !== "match" || !("replay" in result)) return undefined
  const { hash, bytes } = result.replay
  const worker = yield* Worker
  const upload = worker.upload(work.replay_upload, new TextEncoder().encode(inline))
  return yield* Effect.match(upload, {
    onFailure: () => undefined,
    onSuccess: (): Result => ({ ...result, replay: { hash, bytes } })
  })
})
