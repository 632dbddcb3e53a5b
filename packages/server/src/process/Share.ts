/**
 * A limit on how many fibers hold something at once, with a bounded queue:
 *
 *   asked ──▶ holds it ──▶ releases it, which passes it on to the one that has waited longest
 *       └──▶ waits; refused when too many wait already, or after waiting too long
 */
import { Deferred, type Duration, Effect } from "effect"

export interface Bounds {
  /** The most holders at once. */
  readonly places: number
  readonly waiting: number
  readonly wait: Duration.Input
}

export interface Share<E> {
  /** Each success needs exactly one `release`. Only the wait is interruptible. */
  readonly take: Effect.Effect<void, E>
  readonly release: Effect.Effect<void>
  /** How many hold it, and how many wait for it. */
  readonly taken: () => number
  readonly waiting: () => number
}

export const makeShare = <E>({ places, wait, waiting }: Bounds, refusal: () => E): Share<E> => {
  const queue = new Set<Deferred.Deferred<void>>()
  let taken = 0

  const releaseUnsafe = () => {
    const [next] = queue
    if (next === undefined) return void taken--
    queue.delete(next)
    Deferred.doneUnsafe(next, Effect.void)
  }

  /** A waiter that leaves may have been given its place at that moment, and then passes it on. */
  const leave = (turn: Deferred.Deferred<void>) =>
    Effect.sync(() => {
      if (!queue.delete(turn)) releaseUnsafe()
    })

  const queued = Effect.suspend(() => {
    const turn = Deferred.makeUnsafe<void>()
    queue.add(turn)
    return Effect.timeoutOrElse(Effect.interruptible(Deferred.await(turn)), {
      duration: wait,
      orElse: () => Effect.andThen(leave(turn), Effect.fail(refusal()))
    }).pipe(Effect.onInterrupt(() => leave(turn)))
  })

  const take = Effect.suspend((): Effect.Effect<void, E> => {
    if (taken < places) {
      taken++
      return Effect.void
    }
    return queue.size < waiting ? queued : Effect.fail(refusal())
  })

  return { take, release: Effect.sync(releaseUnsafe), taken: () => taken, waiting: () => queue.size }
}
