/**
 * The contract's rate limits (docs/contract.md#rate-limits): a token bucket for every class and caller.
 * A caller is an address or an account, as the levels and the boundary decide.
 */

import type { RateClass } from "@agon/api/Boundary.ts"
import { RateLimited } from "@agon/api/Problem.ts"
import { Context, Effect, Layer, Metric } from "effect"
import { answerHeader } from "../answerHeader.ts"
import { type Limit, RateLimitStore } from "./RateLimitStore.ts"
import * as RateLimitStoreMemory from "./RateLimitStoreMemory.ts"
import * as RateLimitStoreRedis from "./RateLimitStoreRedis.ts"

/** A rate class, or what an account may add beside its class's requests because it stays. */
export type Bucket = RateClass | "comment"
export type Table = { readonly [Name in Bucket]: Limit }

export const table: Table = {
  public: { per_s: 30, burst: 60 },
  signin: { per_s: 5, burst: 10 },
  session: { per_s: 20, burst: 40 },
  read: { per_s: 10, burst: 20 },
  write: { per_s: 1, burst: 5 },
  upload: { per_s: 5, burst: 40 },
  runner: { per_s: Infinity, burst: Infinity },
  comment: { per_s: 1 / 10, burst: 200 }
}

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes one token and answers 0, or the milliseconds until there is one; a plain number where that is known at once. */
    readonly takeUnsafe: (rate: Bucket, caller: string) => number | Effect.Effect<number>
    /** Takes one token or answers 429 with Retry-After. */
    readonly take: (rate: Bucket, caller: string) => Effect.Effect<void, RateLimited>
  }
>()("agon/RateLimits") {
  /** Over the buckets of a RateLimitStore. */
  static readonly layerStore = (limits: Table = table) =>
    Layer.effect(
      RateLimits,
      Effect.map(RateLimitStore, (store) => {
        const takeUnsafe = (rate: Bucket, caller: string) => store.takeUnsafe(`${rate}:${caller}`, limits[rate])
        const take = (rate: Bucket, caller: string) =>
          Effect.suspend(() => {
            const wait_ms = takeUnsafe(rate, caller)
            return typeof wait_ms === "number" ? pass(rate, wait_ms) : Effect.flatMap(wait_ms, (wait_ms) => pass(rate, wait_ms))
          })
        return { takeUnsafe, take }
      })
    )

  /** This node counts for itself. */
  static readonly layer = (limits: Table = table) => RateLimits.layerStore(limits).pipe(Layer.provide(RateLimitStoreMemory.layer))

  /** All nodes on one Redis count together. */
  static readonly layerRedis = (redis: RateLimitStoreRedis.RedisOptions, limits: Table = table) =>
    RateLimits.layerStore(limits).pipe(Layer.provide(RateLimitStoreRedis.layer(redis)))
}

const refusals = Metric.counter("agon_rate_limited_total", { description: "Requests refused with 429, by rate class", incremental: true })

const pass = (rate: Bucket, wait_ms: number) => (wait_ms === 0 ? Effect.void : refuse(rate, wait_ms))

/** Answers 429 with Retry-After. */
export const refuse = (rate: Bucket, retry_after_ms: number) =>
  Metric.update(Metric.withAttributes(refusals, { class: rate }), 1).pipe(
    Effect.andThen(retryAfter(Math.ceil(retry_after_ms / 1000))),
    Effect.andThen(Effect.fail(new RateLimited({ detail: `Try again in ${retry_after_ms} ms.`, retry_after_ms })))
  )

export const retryAfter = (seconds: number) => answerHeader("retry-after", String(seconds))
