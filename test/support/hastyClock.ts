/** A clock of which every look takes so long that fibers that wait for time get their turn. Sleeps last as long as before. */
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

/** A clock that stands still, for a process that has the time of a test's. Sleeps last by the machine's. */
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
