/** Bounds on pages under way, in all and of one visitor: a page beyond them is refused at once and does not wait. */
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"
import { Data, Effect } from "effect"

/** Pages that are rendered and that wait for it. The service in front passes on 256 at once, and reads go on for visitors who have left. */
export const UNDER_WAY_MAX = 512
/** Half of what is rendered at once (PageCache.ts), so that one visitor's slow pages leave the other half. */
export const OF_ONE_VISITOR_MAX = 32

/** With the status that its page has. */
export class Crowded extends Data.TaggedError("Crowded")<{ readonly status: 429 | 503 }> {}

export const makePagesUnderWay = () => {
  const visitors = new HeldCounts()
  let underWay = 0

  const enter = (visitor: string | undefined) =>
    Effect.suspend(() => {
      if (underWay >= UNDER_WAY_MAX) return Effect.fail(new Crowded({ status: 503 }))
      if (visitor !== undefined && visitors.of(visitor) >= OF_ONE_VISITOR_MAX) return Effect.fail(new Crowded({ status: 429 }))
      underWay++
      if (visitor !== undefined) visitors.enter(visitor)
      return Effect.void
    })

  const leave = (visitor: string | undefined) =>
    Effect.sync(() => {
      underWay--
      if (visitor !== undefined) visitors.leave(visitor)
    })

  return <A, E, R>(visitor: string | undefined, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Crowded, R> =>
    Effect.acquireUseRelease(
      enter(visitor),
      () => work,
      () => leave(visitor)
    )
}
