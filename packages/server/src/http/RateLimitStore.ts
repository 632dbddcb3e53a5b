/**
 * Where token buckets are kept. A bucket is one number, the moment at which it will be full again: a token moves it on by
 * one step, and it may lie as far ahead as the burst has steps. So a bucket in the past is a full one and may be forgotten.
 *
 * Moments and steps are whole microseconds, whose sums are exact; a rate that does not divide a second is slower by less
 * than one in 30,000. A clock that was set back must shut nobody out: a bucket that lies further ahead than its burst is
 * set to an empty one, so that nobody ever waits longer than one step.
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
   * Takes one token of the bucket: 0, or the whole milliseconds after which there is one. A number where it is known at
   * once, so that an answer from the cache needs no fiber.
   */
  readonly takeUnsafe: (bucket: string, limit: Limit) => number | Effect.Effect<number>
}

export class RateLimitStore extends Context.Service<RateLimitStore, RateLimitStoreShape>()("agon/RateLimitStore") {}
