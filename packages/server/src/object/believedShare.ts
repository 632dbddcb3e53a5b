import { Effect } from "effect"

/** A free share that is far from every limit is believed for so long. */
const BELIEVED_MS = 200
const MUCH = 0.1

/** The free share of a disk for those who ask with each result of a match: a step of the thread pool each time would cost more than the rest. */
export const believedShare = <E>(read: Effect.Effect<number, E>): Effect.Effect<number, E> => {
  let last = { at_ms: Number.NEGATIVE_INFINITY, share: 0 }
  const readNow = Effect.map(read, (share) => {
    last = { at_ms: performance.now(), share }
    return share
  })
  return Effect.suspend(() => (last.share > MUCH && performance.now() - last.at_ms < BELIEVED_MS ? Effect.succeed(last.share) : readNow))
}
