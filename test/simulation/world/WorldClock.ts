/**
 * The time of the world, which stands still until somebody lets it pass. As TestClock, but for two things, since a season
 * sleeps and is waited for some ten thousand times: it knows exactly when nothing more can happen without time, having
 * the scheduler's tasks counted, and it warns nobody who forgets to let it pass.
 */
import { Clock, Context, Duration, Effect, Layer, Scheduler } from "effect"

export interface WorldClock extends Clock.Clock {
  /** Everything that can happen now has happened, but for what waits for the world outside. */
  readonly still: Effect.Effect<void>
  /**
   * So many milliseconds pass; whoever sleeps wakes at their time, and does what they can do then: time
   * goes on when it is `quiet`.
   */
  readonly pass: (ms: number, quiet: Effect.Effect<void>) => Effect.Effect<void>
}

interface Sleep {
  readonly until: number
  readonly wake: () => void
}

const make = (parent: Scheduler.Scheduler, start: number): [WorldClock, Scheduler.Scheduler] => {
  const { idle, scheduler } = counting(parent)
  const sleeps: Array<Sleep> = [] // the next one last; those of one time wake in the order in which they fell asleep
  let now = start
  let nanos = nanosOf(now)
  const reach = (at: number): void => {
    now = at
    nanos = nanosOf(at)
  }
  const fallAsleep = (until: number, wake: () => void): Sleep => {
    const sleep = { until, wake }
    let [low, high] = [0, sleeps.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sleeps[middle]!.until > until) low = middle + 1
      else high = middle
    }
    sleeps.splice(low, 0, sleep)
    return sleep
  }
  const sleepFor = (ms: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (ms <= 0) return Effect.void
      return Effect.callback<void>((resume) => {
        const sleep = fallAsleep(now + ms, () => resume(Effect.void))
        return Effect.sync(() => {
          const place = sleeps.indexOf(sleep)
          if (place !== -1) sleeps.splice(place, 1)
        })
      })
    })
  const pass = Effect.fnUntraced(function* (ms: number, quiet: Effect.Effect<void>) {
    const until = now + ms
    yield* quiet
    while (sleeps.length > 0 && sleeps.at(-1)!.until <= until) {
      const next = sleeps.pop()!
      reach(next.until)
      next.wake()
      yield* quiet
    }
    reach(until)
  })
  const clock: WorldClock = {
    still: idle,
    pass,
    sleep: (duration) => sleepFor(Duration.toMillis(duration)),
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.sync(() => nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.sync(() => nanos)
  }
  return [clock, scheduler]
}

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms * 1_000)) * 1_000n

/** A scheduler, and how to wait until it has nothing to do. */
const counting = (parent: Scheduler.Scheduler) => {
  let tasks = 0
  let wake: (() => void) | undefined
  const over = (): void => {
    if (--tasks > 0 || wake === undefined) return
    const waiting = wake
    wake = undefined
    waiting()
  }
  const idle = Effect.callback<void>((resume) => {
    if (tasks === 0) resume(Effect.void)
    else wake = () => resume(Effect.void)
  })
  const scheduler: Scheduler.Scheduler = {
    executionMode: parent.executionMode,
    shouldYield: (fiber) => parent.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = parent.makeDispatcher()
      return {
        flush: () => dispatcher.flush(),
        scheduleTask: (task, priority) => {
          tasks++
          dispatcher.scheduleTask(() => {
            try {
              task()
            } finally {
              over()
            }
          }, priority)
        }
      }
    }
  }
  return { idle, scheduler }
}

/** When the world begins, ms. */
const START = 1_000_000

export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(Scheduler.Scheduler, (parent) => {
    const [clock, scheduler] = make(parent, START)
    return Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler))
  })
)

const world = Effect.map(Clock.Clock, (clock) => clock as WorldClock)
export const still: Effect.Effect<void> = Effect.flatMap(world, (clock) => clock.still)
export const pass = (ms: number, quiet = still): Effect.Effect<void> => Effect.flatMap(world, (clock) => clock.pass(ms, quiet))
