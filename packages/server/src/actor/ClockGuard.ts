/**
 * The clock of a season: its host's clock, checked against the database's at every claim and commit. A
 * season's time never goes back, so one wrong reading that is a year ahead would put the season a year ahead.
 * Where the host's clock runs more than a minute ahead of the database's last reading plus the time passed
 * since, that sum is used instead until the two agree again. It is in whole milliseconds like any clock, for
 * ids hold it; the database's has microseconds.
 */
import { Clock, Effect } from "effect"

export const AHEAD_MAX_MS = 60_000

export interface ClockGuard {
  /** The clock that the actor's fiber uses. */
  readonly clock: Clock.Clock
  /** Takes a fresh reading of the database's clock, ms. */
  readonly take: (database_ms: number) => void
  /** How far the host's clock is ahead while it is not trusted, ms; 0 while it is. */
  readonly ahead: () => number
  /** No clock that is trusted shows more by now, ms. */
  readonly latest: () => number
}

export const make: Effect.Effect<ClockGuard> = Clock.clockWith((host) =>
  Effect.sync(() => {
    let said: { readonly at: number; readonly mono: bigint } | undefined
    const passed = (since: bigint) => Number((host.monotonicTimeNanosUnsafe() - since) / 1_000_000n)
    const ahead = () => {
      if (said === undefined) return 0
      const over = host.currentTimeMillisUnsafe() - said.at - passed(said.mono)
      return over > AHEAD_MAX_MS ? over : 0
    }
    const now = () => host.currentTimeMillisUnsafe() - ahead()
    const nanos = () => host.currentTimeNanosUnsafe() - BigInt(ahead()) * 1_000_000n
    return {
      ahead,
      latest: () => (said === undefined ? Infinity : said.at + passed(said.mono) + AHEAD_MAX_MS),
      take: (at: number) => {
        said = { at: Math.floor(at), mono: host.monotonicTimeNanosUnsafe() }
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
