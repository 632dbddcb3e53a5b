/**
 * Stores the token buckets of the rate limits by GCRA (generic cell rate algorithm). A bucket is one number, the time at
 * which it will be full again: a token moves it on by one step, to at most `burst` steps ahead of now. So a bucket whose
 * time has passed is full and may be dropped.
 *
 * Times and steps are whole microseconds, whose sums are exact; a rate that does not divide a second is slower by less
 * than one in 30,000. A clock that was set back must lock nobody out: a bucket more than its burst ahead is reset to an
 * empty one, so that nobody ever waits longer than one step.
 */
import { Context, type Effect } from "effect"

export interface Limit {
  /** Tokens that a bucket gains each second; Infinity where there is no limit. */
  readonly per_s: number
  /** Tokens that a full bucket holds. */
  readonly burst: number
}

/** Microseconds in which a bucket gains one token. */
export const step_us = ({ per_s }: Limit): number => Math.ceil(1_000_000 / per_s)

export interface RateLimitStoreShape {
  /**
   * Takes one token of the bucket and answers 0, or the whole milliseconds until there is one. A plain number where it is
   * known at once, so that an answer from the cache needs no fiber.
   */
  readonly takeUnsafe: (bucket: string, limit: Limit) => number | Effect.Effect<number>
}

export class RateLimitStore extends Context.Service<RateLimitStore, RateLimitStoreShape>()("agon/RateLimitStore") {}
