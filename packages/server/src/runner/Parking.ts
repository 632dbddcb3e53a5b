/**
 * Where lease requests wait when there is nothing to do (long poll). Work that appears wakes one request; a request that
 * was given something wakes the next, so a crowd of idle runners does not ask for one match all at once.
 *
 * `signal` closes the gap between asking and parking: a request whose seasons have been signalled since it asked does
 * not park.
 */
import { Context, Deferred, Effect, Layer } from "effect"

interface Parked {
  readonly serves: (season: string) => boolean
  readonly woken: Deferred.Deferred<void>
}

export class Parking extends Context.Service<
  Parking,
  {
    /** The running number of the last signal, to be taken before asking. */
    readonly signal: () => number
    /** There may be work in this season. */
    readonly wake: (season: string) => void
    /** Waits until work appears in a season that `serves`, or for `wait_ms`. */
    readonly park: (serves: (season: string) => boolean, since: number, wait_ms: number) => Effect.Effect<void>
    readonly size: () => number
  }
>()("agon/Parking") {
  static readonly layer = Layer.sync(Parking, () => {
    const parked = new Set<Parked>()
    const signals = new Map<string, number>()
    let signal = 0

    const wake = (season: string): void => {
      signals.set(season, ++signal)
      for (const each of parked) {
        if (!each.serves(season)) continue
        parked.delete(each)
        Deferred.doneUnsafe(each.woken, Effect.void)
        return
      }
    }

    const park = (serves: (season: string) => boolean, since: number, wait_ms: number) =>
      Effect.suspend(() => {
        for (const [season, at] of signals) if (at > since && serves(season)) return Effect.void
        const each: Parked = { serves, woken: Deferred.makeUnsafe() }
        parked.add(each)
        return Deferred.await(each.woken).pipe(
          Effect.timeoutOption(wait_ms),
          Effect.asVoid,
          Effect.ensuring(Effect.sync(() => parked.delete(each)))
        )
      })

    return Parking.of({ signal: () => signal, wake, park, size: () => parked.size })
  })
}
