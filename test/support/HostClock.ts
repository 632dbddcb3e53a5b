/**
 * The clock of the machine that hosts the actor: it may jump, while everybody else's goes on.
 * Sleeping takes as long as it takes.
 */
import { Clock, Effect } from "effect"

export interface HostClock {
  readonly clock: Clock.Clock
  /** By how much it is ahead of the world's, ms; behind where negative. */
  ahead_ms: number
  /** The world's clock. */
  readonly world: () => number
  /** The latest that a season can have believed: its time does not go back. */
  latest_ms: number
  /** The time that a season goes by: none that is more than a minute ahead. */
  readonly now: Effect.Effect<number>
  readonly nowUnsafe: () => number
}

const AHEAD_MAX_MS = 60_000

export const make: Effect.Effect<HostClock> = Clock.clockWith((world) =>
  Effect.sync(() => {
    const now = () => {
      believed() // whoever looks may go by it
      return world.currentTimeMillisUnsafe() + host.ahead_ms
    }
    const nanos = () => world.currentTimeNanosUnsafe() + BigInt(host.ahead_ms) * 1_000_000n
    const believed = () => {
      const at = world.currentTimeMillisUnsafe() + (host.ahead_ms > AHEAD_MAX_MS ? 0 : host.ahead_ms)
      host.latest_ms = Math.max(host.latest_ms, at)
      return at
    }
    const host: HostClock = {
      ahead_ms: 0,
      latest_ms: 0,
      world: () => world.currentTimeMillisUnsafe(),
      now: Effect.sync(believed),
      nowUnsafe: believed,
      clock: {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: () => world.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: world.monotonicTimeNanos,
        sleep: (duration) => world.sleep(duration)
      }
    }
    return host
  })
)
