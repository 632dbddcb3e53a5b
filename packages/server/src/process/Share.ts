/**
 * A share of something that few can have at once:
 *
 *   asked ──▶ has it ──▶ given back, which passes it on to the one that has waited longest
 *       └──▶ waits, so many at most and so long at most; beyond either it is refused
 */
import { Deferred, type Duration, Effect } from "effect"

export interface Bounds {
  /** Who have it at once. */
  readonly places: number
  readonly waiting: number
  readonly wait: Duration.Input
}

export interface Share<E> {
  /** To be given back with `release`, once; uninterruptible but for the wait. */
  readonly take: Effect.Effect<void, E>
  readonly release: Effect.Effect<void>
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

  /** Who goes away may have been given it in that moment. */
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

  return { take, release: Effect.sync(releaseUnsafe) }
}
