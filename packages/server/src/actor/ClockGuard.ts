/**
 * The clock of a season: its host's clock, checked against the database's at every claim and commit. A
 * season's time never goes back, so one wrong reading that is a year ahead would put the season a year ahead.
 * Where the host's clock runs more than a minute ahead of the database's last reading plus the time passed
 * since, that sum is used instead until the two agree again.
 *
 * A host's clock that is behind the season's time, since another host had the season before or the clock was set
 * back, would have it stand still until it is reached: leases would not run out, and rounds not begin. So the time
 * goes on from the latest that the season has reached, as time passes, up to the database's. That alone is not
 * gone by: a database's clock that is ahead would end rounds that nobody can begin again.
 *
 * The clock is in whole milliseconds like any, for ids hold it; the database's has microseconds.
 */
import { Clock, Effect } from "effect"

export const AHEAD_MAX_MS = 60_000

export interface ClockGuard {
  /** The clock that the actor's fiber uses. */
  readonly clock: Clock.Clock
  /** Takes a fresh reading of the database's clock, ms. */
  readonly take: (database_ms: number) => void
  /** The season has reached this time, ms. */
  readonly reached: (season_ms: number) => void
  /** How far the host's clock is ahead while it is not trusted, ms; 0 while it is. */
  readonly ahead: () => number
  /** How far the host's clock is behind what the season goes by, ms. */
  readonly behind: () => number
  /** No clock that is trusted shows more by now, ms. */
  readonly latest: () => number
}

interface Reading {
  readonly at: number
  readonly mono: bigint
}

export const make: Effect.Effect<ClockGuard> = Clock.clockWith((host) =>
  Effect.sync(() => {
    let said: Reading | undefined
    let reached: Reading | undefined
    const read = (at: number): Reading => ({ at: Math.floor(at), mono: host.monotonicTimeNanosUnsafe() })
    const carried = ({ at, mono }: Reading) => at + Number((host.monotonicTimeNanosUnsafe() - mono) / 1_000_000n)
    const ahead = () => {
      if (said === undefined) return 0
      const over = host.currentTimeMillisUnsafe() - carried(said)
      return over > AHEAD_MAX_MS ? over : 0
    }
    const now = () => {
      const seen = host.currentTimeMillisUnsafe() - ahead()
      return said === undefined || reached === undefined ? seen : Math.max(seen, Math.min(carried(said), carried(reached)))
    }
    const correction = () => now() - host.currentTimeMillisUnsafe()
    const nanos = () => host.currentTimeNanosUnsafe() + BigInt(correction()) * 1_000_000n
    return {
      ahead,
      behind: () => Math.max(0, correction()),
      latest: () => (said === undefined ? Infinity : carried(said) + AHEAD_MAX_MS),
      take: (at) => {
        said = read(at)
      },
      reached: (at) => {
        // Read anew at every step it would lose the part of a millisecond each time.
        if (reached === undefined || at > carried(reached)) reached = read(at)
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
