/**
 * Buckets that nodes share, with this node's own as a fallback: a Redis that is down or slow must not take the service down
 * or delay requests. The first take that fails or is late, and those under way beside it, are decided by the node's own
 * buckets, as is every take until a background probe is answered in time again. So an outage costs the requests of one
 * moment `answer_ms` at most, and later requests nothing. Meanwhile every node counts for itself, from full buckets. The
 * outage is logged once when it begins and once when it ends.
 */
import { Clock, Data, Effect, Metric, Schedule } from "effect"
import type { Limit, RateLimitStoreShape } from "./RateLimitStore.ts"
import { makeMemory } from "./RateLimitStoreMemory.ts"

export class BucketsAway extends Data.TaggedError("BucketsAway")<{ readonly detail: string }> {}

export interface SharedBuckets {
  /** Like the store's `takeUnsafe`, but may fail or never end. */
  readonly take: (bucket: string, limit: Limit) => Effect.Effect<number, BucketsAway>
}

/** How often buckets that do not answer are probed. */
const PROBE_MS = 500

/** When a probe counts as lost: long enough that late probes do not pile up. */
const LOST_MS = 10_000

/** A separate bucket. Its take always writes, since a read-only server is of no use here. */
const probe = { bucket: "probe", limit: { per_s: 1000, burst: 1000 } }

const answering = Metric.gauge("agon_rate_limit_redis_up", { description: "Whether Redis decides takes (1) or this node by itself (0)" })

/** Takes during outages; it does not grow otherwise. */
const alone = Metric.counter("agon_rate_limit_alone_total", {
  description: "Takes that this node decided by itself because Redis did not answer",
  incremental: true
})

/** A wait is counted in PARTS, so that a pause of this process itself counts as one part only. */
const PARTS = 5

/** Returns after the first probe, whether or not it was answered. */
export const makeFailover = Effect.fnUntraced(function* (shared: SharedBuckets, answer_ms: number) {
  const clock = yield* Clock.Clock
  const own = makeMemory(clock)
  const context = yield* Effect.context<never>()
  let answers: boolean | undefined

  const lost = ({ detail }: BucketsAway) =>
    Effect.suspend(() => {
      if (answers === false) return Effect.void
      answers = false
      answering.updateUnsafe(0, context)
      const line = `Redis does not answer (${detail}): until it does, this node keeps rate limits by itself`
      return Effect.provide(Effect.logWarning(line), context) // logged for the node, not for the request
    })

  const found = Effect.suspend(() => {
    const wasLost = answers === false
    answers = true
    answering.updateUnsafe(1, context)
    return wasLost ? Effect.logInfo("Redis answers again: rate limits are shared") : Effect.void
  })

  const late = Effect.replicateEffect(Effect.sleep(answer_ms / PARTS), PARTS, { discard: true }).pipe(
    Effect.andThen(Effect.fail(new BucketsAway({ detail: `no answer in ${answer_ms} ms` })))
  )
  const inTime = (bucket: string, limit: Limit) => Effect.raceFirst(shared.take(bucket, limit), late)

  const takeAlone = (bucket: string, limit: Limit) => {
    alone.updateUnsafe(1, context)
    return own.takeUnsafe(bucket, limit)
  }

  const takeUnsafe: RateLimitStoreShape["takeUnsafe"] = (bucket, limit) => {
    if (limit.per_s === Infinity) return 0
    if (answers !== true) return takeAlone(bucket, limit)
    return Effect.catch(inTime(bucket, limit), (away) => Effect.map(lost(away), () => takeAlone(bucket, limit)))
  }

  const again = Effect.suspend(() => {
    const began_ms = clock.currentTimeMillisUnsafe()
    return shared.take(probe.bucket, probe.limit).pipe(
      Effect.flatMap(() => (clock.currentTimeMillisUnsafe() - began_ms <= answer_ms ? found : Effect.void)),
      Effect.timeoutOption(LOST_MS),
      Effect.ignore
    )
  })

  yield* Effect.catch(Effect.andThen(inTime(probe.bucket, probe.limit), found), lost)
  yield* Effect.suspend(() => (answers === true ? Effect.void : again)).pipe(Effect.repeat(Schedule.spaced(PROBE_MS)), Effect.forkScoped)
  return { takeUnsafe }
})
