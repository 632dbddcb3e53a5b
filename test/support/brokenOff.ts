/**
 * Work that is broken off, as that of a request is whose client has gone. A fiber is interrupted only where it waits or pauses, and it may
 * pause before any of its steps: after some thousands of them it lets others go on.
 */
import { Cause, Clock, type Context, Duration, Effect, Fiber, Scheduler } from "effect"

/** Of a look that never ends, on a machine that is ten times as busy as ours. */
const NEVER = Duration.seconds(20)
const realClock = Clock.Clock.defaultValue()

/** Pauses the first fiber that it runs once, before its `nth` step. */
class PausesBefore extends Scheduler.MixedScheduler {
  readonly #nth: number
  #steps = 0
  #fiber: number | undefined

  constructor(nth: number) {
    super()
    this.#nth = nth
  }

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.#fiber ??= fiber.id
    return fiber.id === this.#fiber ? ++this.#steps === this.#nth : super.shouldYield(fiber)
  }

  get hasPaused(): boolean {
    return this.#steps >= this.#nth
  }
}

/** Answers whether the work had so many steps before it ended, or waited for something. */
const brokenOffBefore = (nth: number, work: Effect.Effect<unknown, unknown>): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const scheduler = new PausesBefore(nth)
    const fiber = yield* Effect.forkChild(Effect.provideService(work, Scheduler.Scheduler, scheduler), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    return scheduler.hasPaused
  })

/** On the real clock, also where a test has another. */
const ending = <A, E, R>(nth: number, look: Effect.Effect<A, E, R>): Effect.Effect<A, E | Cause.TimeoutError, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.timeoutOrElse(Effect.provideContext(look, context), {
      duration: NEVER,
      orElse: () => Effect.fail(new Cause.TimeoutError(`broken off before step ${nth}, it leaves somebody waiting`))
    }).pipe(Effect.provideService(Clock.Clock, realClock))
  )

/**
 * Breaks off the work of a fresh `begin` before each of its steps in turn, and looks each time at what is left. Answers how many steps the
 * work has until it ends or waits.
 */
export const brokenOffAnywhere = <A, E, R, E2, R2>(
  begin: Effect.Effect<A, E, R>,
  work: (begun: A) => Effect.Effect<unknown, unknown>,
  look: (begun: A) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<number, E | E2 | Cause.TimeoutError, R | R2> =>
  Effect.gen(function* () {
    for (let nth = 1; ; nth++) {
      const begun = yield* begin
      const hasPaused = yield* brokenOffBefore(nth, work(begun))
      yield* ending(nth, look(begun))
      if (!hasPaused) return nth
    }
  })
