/**
 * Buckets in this process, in two generations: a bucket that is used moves into the young one, and when every bucket of
 * the old one is full, the old one is dropped whole and the young one becomes old. So an idle bucket is gone after two
 * generations without any search, and a take costs the same for ten buckets as for the maximum.
 */
import { Clock, Effect, Layer } from "effect"
import { type Limit, RateLimitStore, step_us } from "./RateLimitStore.ts"

/** Buckets kept at once, about 15 MB. Beyond it those unused for longest are dropped, which gives their callers full buckets. */
const BUCKETS_MAX = 100_000

/** The minimum age of a generation, so that with few callers not every take begins a new one. */
const GENERATION_US = 10_000_000

interface Generation {
  readonly fullAt_us: Map<string, number>
  /** The time at which the last of its buckets is full. */
  full_us: number
}

const begin = (): Generation => ({ fullAt_us: new Map(), full_us: 0 })

export const makeMemory = (clock: Clock.Clock, most = BUCKETS_MAX) => {
  let old = begin()
  let young = begin()
  let began_us = 0

  const renew = (now_us: number) => {
    const isOver = now_us - began_us >= GENERATION_US && now_us >= old.full_us
    if (!isOver && young.fullAt_us.size * 2 < most) return
    old = young
    young = begin()
    began_us = now_us
  }

  const keep = (bucket: string, fullAt_us: number, now_us: number) => {
    renew(now_us)
    young.fullAt_us.set(bucket, fullAt_us)
    young.full_us = Math.max(young.full_us, fullAt_us)
  }

  const takeUnsafe = (bucket: string, limit: Limit): number => {
    if (limit.per_s === Infinity) return 0
    const now_us = clock.currentTimeMillisUnsafe() * 1000
    const step = step_us(limit)
    const room = step * limit.burst
    const kept_us = young.fullAt_us.get(bucket) ?? old.fullAt_us.get(bucket) ?? 0
    const fullAt_us = Math.min(Math.max(kept_us, now_us), now_us + room)
    const wait_us = fullAt_us + step - now_us - room
    if (wait_us > 0) {
      if (kept_us > fullAt_us) keep(bucket, fullAt_us, now_us)
      return Math.ceil(wait_us / 1000)
    }
    keep(bucket, fullAt_us + step, now_us)
    return 0
  }

  return { takeUnsafe, sizeUnsafe: () => old.fullAt_us.size + young.fullAt_us.size }
}

/** Each node counts for itself. */
export const layer = Layer.effect(
  RateLimitStore,
  Effect.map(Clock.Clock, (clock) => makeMemory(clock))
)
