/** Bounds on pages under way, in all and of one visitor: a page beyond them is refused at once and does not wait. */
import { Data, Effect } from "effect"

/** Pages that are rendered and that wait for it. The service in front passes on 256 at once, and reads go on for visitors who have left. */
export const UNDER_WAY_MAX = 512
/** Half of what is rendered at once (PageCache.ts), so that one visitor's slow pages leave the other half. */
export const OF_ONE_VISITOR_MAX = 32

/** With the status that its page has. */
export class Crowded extends Data.TaggedError("Crowded")<{ readonly status: 429 | 503 }> {}

export const makePagesUnderWay = () => {
  const visitors = new Map<string | undefined, number>()
  let underWay = 0

  const enter = (visitor: string | undefined) =>
    Effect.suspend(() => {
      const own = visitors.get(visitor) ?? 0
      if (underWay >= UNDER_WAY_MAX) return Effect.fail(new Crowded({ status: 503 }))
      if (visitor !== undefined && own >= OF_ONE_VISITOR_MAX) return Effect.fail(new Crowded({ status: 429 }))
      underWay++
      visitors.set(visitor, own + 1)
      return Effect.void
    })

  const leave = (visitor: string | undefined) =>
    Effect.sync(() => {
      underWay--
      const own = visitors.get(visitor)! - 1
      if (own === 0) visitors.delete(visitor)
      else visitors.set(visitor, own)
    })

  return <A, E, R>(visitor: string | undefined, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Crowded, R> =>
    Effect.acquireUseRelease(
      enter(visitor),
      () => work,
      () => leave(visitor)
    )
}
