/**
 * Token buckets, one per class and caller, in one table (http-api.md section 8). A bucket is kept as
 * a single number, the moment at which it will be full again, so a bucket in the past is a full one
 * and may be forgotten. Limits hold per node.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { RateClass } from "@agon/api/Boundary.ts"
import { RateLimited } from "@agon/api/Problem.ts"

export type Table = { readonly [Class in RateClass]: { readonly per_s: number; readonly burst: number } }

export const table: Table = {
  public: { per_s: 30, burst: 60 },
  signin: { per_s: 5, burst: 10 },
  session: { per_s: 20, burst: 40 },
  read: { per_s: 10, burst: 20 },
  write: { per_s: 1, burst: 5 },
  upload: { per_s: 5, burst: 40 },
  runner: { per_s: Infinity, burst: Infinity }
}

/** Callers remembered at once; over it the full buckets are forgotten, then the oldest. */
const maxBuckets = 100_000

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes one token; 0, or the milliseconds until there is one. */
    readonly takeUnsafe: (rate: RateClass, caller: string) => number
    /** Takes one token or answers 429 with Retry-After. */
    readonly take: (rate: RateClass, caller: string) => Effect.Effect<void, RateLimited>
  }
>()("agon/RateLimits") {
  static readonly layer = (limits: Table = table) =>
    Layer.effect(
      RateLimits,
      Effect.map(Clock.Clock, (clock) => {
        const takeUnsafe = makeBuckets(limits, clock)
        const take = (rate: RateClass, caller: string) =>
          Effect.suspend(() => {
            const wait_ms = takeUnsafe(rate, caller)
            return wait_ms === 0 ? Effect.void : refuse(Math.ceil(wait_ms))
          })
        return { takeUnsafe, take }
      })
    )
}

const makeBuckets = (limits: Table, clock: Clock.Clock) => {
  const fullAt = new Map<string, number>()

  const forget = (now: number) => {
    for (const [key, at] of fullAt) if (at <= now) fullAt.delete(key)
    for (const key of fullAt.keys()) {
      if (fullAt.size < maxBuckets * 0.9) break
      fullAt.delete(key)
    }
  }

  return (rate: RateClass, caller: string) => {
    const { burst, per_s } = limits[rate]
    if (per_s === Infinity) return 0
    const now = clock.currentTimeMillisUnsafe()
    const key = `${rate} ${caller}`
    const next = Math.max(fullAt.get(key) ?? 0, now) + 1000 / per_s
    const wait_ms = next - now - (burst * 1000) / per_s
    if (wait_ms > 1e-6) return wait_ms
    if (fullAt.size >= maxBuckets && !fullAt.has(key)) forget(now)
    fullAt.set(key, next)
    return 0
  }
}

const refuse = (retry_after_ms: number) =>
  Effect.andThen(
    retryAfter(Math.ceil(retry_after_ms / 1000)),
    Effect.fail(new RateLimited({ detail: `Try again in ${retry_after_ms} ms.`, retry_after_ms }))
  )

/** Sets Retry-After on whatever the request is answered with; a problem's schema has no headers of its own. */
export const retryAfter = (seconds: number) =>
  Effect.withFiber<void>((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_request, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
    )
    return Effect.void
  })
