/**
 * The clock that a season goes by: its host's, held against the database's at every claim and commit. A season's time never
 * goes back, so one reading of a year ahead would be its time for a year. Where the host's clock has run more than a minute
 * ahead of what the database said, and of what has passed since, the latter counts until the two agree again.
 */
import { Clock, Effect } from "effect"

export const AHEAD_MAX_MS = 60_000

export interface ClockGuard {
  /** For the actor's own fiber. */
  readonly clock: Clock.Clock
  /** What the database's clock said a moment ago, ms. */
  readonly compare: (database_ms: number) => void
  /** By how much the host's clock is ahead where it is not believed; 0 where it is. */
  readonly ahead: () => number
}

export const make: Effect.Effect<ClockGuard> = Clock.clockWith((host) =>
  Effect.sync(() => {
    let said: { readonly at: number; readonly mono: bigint } | undefined
    const expected = () => (said === undefined ? Infinity : said.at + Number((host.monotonicTimeNanosUnsafe() - said.mono) / 1_000_000n))
    const ahead = () => {
      const over = host.currentTimeMillisUnsafe() - expected()
      return over > AHEAD_MAX_MS ? over : 0
    }
    const now = () => host.currentTimeMillisUnsafe() - ahead()
    const nanos = () => host.currentTimeNanosUnsafe() - BigInt(Math.round(ahead())) * 1_000_000n
    return {
      ahead,
      compare: (at: number) => {
        said = { at, mono: host.monotonicTimeNanosUnsafe() }
      },
      clock: {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => host.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: host.monotonicTimeNanos,
        sleep: (duration) => host.sleep(duration)
      }
    }
  })
)
