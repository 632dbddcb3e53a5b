/** A clock of which every look takes so long that what waits for time gets its turn. What sleeps, sleeps as before. */
import { type Clock, Effect } from "effect"

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
