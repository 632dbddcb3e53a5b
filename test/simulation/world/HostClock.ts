/** The clock of the machine that hosts the actor: it may jump, while everybody else's goes on. Sleeping takes as long as it takes. */
import { Clock, Effect } from "effect"

export interface HostClock {
  readonly clock: Clock.Clock
  /** By how much it is ahead of the world's, ms; behind where negative. */
  ahead_ms: number
  /** The latest that it ever showed: a season's time does not go back. */
  latest_ms: number
  readonly now: Effect.Effect<number>
}

export const make: Effect.Effect<HostClock> = Clock.clockWith((world) =>
  Effect.sync(() => {
    const now = () => {
      const at = world.currentTimeMillisUnsafe() + host.ahead_ms
      host.latest_ms = Math.max(host.latest_ms, at)
      return at
    }
    const nanos = () => world.currentTimeNanosUnsafe() + BigInt(host.ahead_ms) * 1_000_000n
    const host: HostClock = {
      ahead_ms: 0,
      latest_ms: 0,
      now: Effect.sync(now),
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
