/**
 * The rules that webhooks and mails share: their deliveries are rows of one table, which are
 * taken by any node, tried again ever more rarely for a day, and belong to somebody who is
 * switched off after a week of failures.
 */

import { seldomFailed } from "@agon/api/program/seldom.ts"
import { type Duration, Effect, FiberSet, Queue, type Scope } from "effect"

const LOOK_EVERY = "2 seconds"
/** Deliveries that end within this time are followed by one look. */
const LOOK_AFTER = "50 millis"
const FIRST_RETRY_MS = 30_000
const LAST_RETRY_MS = 4 * 3_600_000
export const RETRIED_FOR_MS = 24 * 3_600_000
export const FAILING_MAX_MS = 7 * 24 * 3_600_000

/** Twice as long after each attempt. Half of the wait is chance, so that many do not come back together. */
export const retryAfter_ms = (attempts: number, chance: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS) * (0.5 + chance / 2)

/** Deliveries that are due: how they are claimed, and how each is made. */
export interface Outbox<A> {
  /** Claims up to `limit` that are due; nobody else takes them meanwhile. */
  readonly take: (limit: number) => Effect.Effect<ReadonlyArray<A>>
  /** Ends by itself; does not fail. */
  readonly deliver: (taken: A) => Effect.Effect<void>
}

/** Delivers what is due now, up to `most`, and answers how many it tried once all of them have ended. */
export const oneRound = <A>({ deliver, take }: Outbox<A>, most: number): Effect.Effect<number> =>
  Effect.flatMap(take(most), (taken) =>
    Effect.as(Effect.forEach(taken, deliver, { concurrency: "unbounded", discard: true }), taken.length)
  )

/** A delivery that takes longer than this leaves its place to another. */
export const SLOW_AFTER_MS = 1_000

interface Most {
  /** Deliveries that are not slow, at once. */
  readonly most: number
  /** Slow ones beside them. A delivery that turns slow while there are as many keeps its place. */
  readonly slowMost: number
}

/** The places of deliveries; `freed` runs whenever there is one more. */
const makePlaces = ({ most, slowMost }: Most, freed: Effect.Effect<unknown>) => {
  const taken = { quick: 0, slow: 0 }
  const inPlace = (delivery: Effect.Effect<void>) =>
    Effect.suspend(() => {
      let place: keyof typeof taken = "quick"
      taken.quick++
      const leave = Effect.suspend(() => {
        if (taken.slow >= slowMost) return Effect.void
        taken.quick--
        taken.slow++
        place = "slow"
        return freed
      })
      const end = Effect.suspend(() => {
        taken[place]--
        return freed
      })
      return Effect.forkChild(Effect.delay(leave, SLOW_AFTER_MS)).pipe(Effect.andThen(delivery), Effect.ensuring(end))
    })
  return { free: () => most - taken.quick, inPlace }
}

/**
 * Delivers for as long as the scope is open, `most` at once and slow ones beside them: many receivers that fall silent would else keep all
 * others waiting. Due deliveries are looked for whenever a place is free again. A database that has fallen silent ends a look and a
 * delivery, too.
 */
export const keepDelivering = <A>(
  name: string,
  { deliver, take }: Outbox<A>,
  { timeout, ...most }: Most & { readonly timeout: Duration.Input }
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const undelivered = seldomFailed(`${name} were not delivered`)
    const under = yield* FiberSet.make<void>()
    const freed = yield* Queue.sliding<void>(1)
    const { free, inPlace } = makePlaces(most, Queue.offer(freed, undefined))
    const delivered = (one: A) => inPlace(Effect.catchCause(Effect.timeout(deliver(one), timeout), undelivered))
    const look = Effect.gen(function* () {
      const taken = free() === 0 ? [] : yield* Effect.timeout(take(free()), timeout)
      for (const one of taken) yield* FiberSet.run(under, delivered(one))
    }).pipe(Effect.catchCause((cause) => Effect.andThen(undelivered(cause), Effect.sleep(LOOK_EVERY))))
    const pause = Effect.raceFirst(Effect.sleep(LOOK_EVERY), Effect.andThen(Queue.take(freed), Effect.sleep(LOOK_AFTER)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, pause)))
  })
