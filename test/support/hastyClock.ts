/** A clock of which every look takes so long that what waits for time gets its turn. What sleeps, sleeps as before. */
import { Clock, Effect } from "effect"

export const hasty = (clock: Clock.Clock, look_ms: number): Clock.Clock => {
  let now = clock.currentTimeMillisUnsafe()
  const look = () => (now += look_ms)
  return {
    currentTimeMillisUnsafe: look,
    currentTimeMillis: Effect.sync(look),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** A clock that stands still, for a process that has the time of a test's. What sleeps, sleeps by the machine's. */
export const standing = (now_ms: number): Clock.Clock => {
  const clock = Clock.Clock.defaultValue()
  return {
    currentTimeMillisUnsafe: () => now_ms,
    currentTimeMillis: Effect.succeed(now_ms),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}
