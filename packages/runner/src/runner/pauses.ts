/**
 * A service that has nothing keeps a lease request until its wait ends. One that answers sooner, again
 * and again, is asked less and less often, so that neither side does nothing but ask and answer.
 */
import { Clock, Effect, Random } from "effect"

/** An answer that brings nothing and is there sooner is one too soon. */
const SOON_MS = 1_000
const FIRST_MS = 250
const LONGEST_MS = 5_000

export interface Pauses {
  /** Before a request: when it begins. */
  readonly begins: Effect.Effect<void>
  /** After its answer: waits where that came too soon and brought nothing. */
  readonly after: (fruitful: boolean) => Effect.Effect<void>
}

export const makePauses = (): Pauses => {
  let began_ms = 0
  let inARow = 0
  return {
    begins: Effect.map(Clock.currentTimeMillis, (now) => {
      began_ms = now
    }),
    after: Effect.fnUntraced(function* (fruitful) {
      const took_ms = (yield* Clock.currentTimeMillis) - began_ms
      if (fruitful || took_ms >= SOON_MS) {
        inARow = 0
        return
      }
      const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** inARow++)
      yield* Effect.sleep(longest * (0.8 + 0.4 * (yield* Random.next)))
    })
  }
}
