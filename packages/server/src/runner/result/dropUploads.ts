/**
 * Removes the uploads of results that were accepted, beside the answer: a slow bucket takes longer than a runner waits for the work that comes
 * with it. Any other upload stays for ReplayUploads.ts, which finds by it what was taken over, and so do those for which there is no place.
 */
import { Effect, Queue } from "effect"
import { replayUploadKey } from "../../object/keys.ts"
import type { ObjectStore } from "../../object/ObjectStore.ts"
import { inlineOf, type Reported } from "./results.ts"

const AT_ONCE = 8
const WAITING_MAX = 1_000

export const makeDropUploads = Effect.fnUntraced(function* (objects: Pick<ObjectStore["Service"], "remove">) {
  const keys = yield* Queue.dropping<string>(WAITING_MAX)
  const next = Effect.flatMap(Queue.take(keys), (key) => Effect.ignore(objects.remove(key)))
  yield* Effect.forEach(Array.from({ length: AT_ONCE }), () => Effect.forkScoped(Effect.forever(next)), { discard: true })
  return (accepted: ReadonlyArray<Reported>) =>
    Queue.offerAll(
      keys,
      accepted.filter((result) => inlineOf(result) === undefined).map(({ lease }) => replayUploadKey(lease))
    )
})
