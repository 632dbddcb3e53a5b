/**
 * For how long this process has stood still: its machine slept or was moved, its container was paused, somebody stopped it (SIGSTOP,
 * Ctrl-Z). A process that goes on is told by nobody but its clocks.
 *
 *   every second, and whenever somebody asks: a look ─▶ the look before is more than STILL_MS ago ─▶ so long it stood still
 *
 * While a machine sleeps one of its clocks may stand still as well, so the one that shows more counts. A host's clock that is set forward
 * looks the same.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { uptimeOf_ms } from "./uptime.ts"

const LOOK_EVERY = "1 second"
/** No computation of ours holds the process up for so long. */
const STILL_MS = 5_000

interface Standing {
  /** In all, since the start, ms. */
  readonly total_ms: () => number
}

/** Never, where nobody looks. */
export class Standstill extends Context.Reference<Standing>("agon/Standstill", { defaultValue: () => ({ total_ms: () => 0 }) }) {
  static readonly layer: Layer.Layer<never> = Layer.effect(
    Standstill,
    Effect.suspend(() => watching)
  )
}

const watching = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const look = () => ({ host_ms: clock.currentTimeMillisUnsafe(), uptime_ms: uptimeOf_ms(clock) })
  let last = look()
  let total_ms = 0
  const total = () => {
    const now = look()
    const passed_ms = Math.max(now.host_ms - last.host_ms, now.uptime_ms - last.uptime_ms)
    if (passed_ms > STILL_MS) total_ms += passed_ms
    last = now
    return total_ms
  }
  let told_ms = 0
  const tell = Effect.suspend(() => {
    const still_ms = Math.round(total() - told_ms)
    if (still_ms === 0) return Effect.void
    told_ms = total_ms
    return Effect.logWarning("this process stood still; leases and uploads of its seasons have as much longer", { still_ms })
  })
  yield* tell.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
  return { total_ms: total }
})
