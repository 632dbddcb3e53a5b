/**
 * A limit on how many fibers hold something at once, with a bounded queue:
 *
 *   asked ──▶ holds it ──▶ releases it, which passes it on to the one that has waited longest
 *       └──▶ waits; refused when too many wait already, or after waiting too long
 *
 * Where `each` is given, a caller (Caller.ts) has a part of the places and of the queue. Among those that
 * wait, callers who hold least come first.
 */
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"
import { Deferred, type Duration, Effect, Option, type Scope } from "effect"
import { type Caller, CurrentCaller } from "./Caller.ts"

interface Most {
  /** The most holders at once. */
  readonly places: number
  readonly waiting: number
}

export interface Bounds extends Most {
  /** For ever where it is absent. */
  readonly wait?: Duration.Input
  /** For one caller. */
  readonly each?: Most
}

/** The caller that a holder counts for; undefined where it counts for none. */
export type Place = string | undefined

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface Share<E> {
  /** Runs it while holding a place. The wait for one can be interrupted where the caller can. */
  readonly use: <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** Holds a place until the scope ends. The wait for one can be interrupted as that of `use`. */
  readonly hold: Effect.Effect<void, E, Scope.Scope>
  /** Each success needs exactly one `release`; uninterruptible but for the wait, which is as interruptible as `restore` makes it. */
  readonly take: (restore: Restore) => Effect.Effect<Place, E>
  readonly release: (place: Place) => Effect.Effect<void>
  /** How many hold it, and how many wait for it. */
  readonly taken: () => number
  readonly waiting: () => number
}

interface Waiter {
  readonly caller: Caller | undefined
  readonly turn: Deferred.Deferred<Place>
}

const UNBOUNDED: Most = { places: Infinity, waiting: Infinity }

export const makeShare = <E>(bounds: Bounds, refusal: () => E): Share<E> => {
  const { each = UNBOUNDED, places, wait } = bounds
  const queue = new Set<Waiter>()
  const holders = makeHolders()

  const nextUnsafe = () => {
    let next: { readonly waiter: Waiter; readonly place: Place; readonly holds: number } | undefined
    for (const waiter of queue) {
      const least = holders.leastOf(waiter.caller)
      if (least.holds < Math.min(each.places, next?.holds ?? Infinity)) next = { waiter, ...least }
      if (next?.holds === 0) break
    }
    return next
  }

  const passOnUnsafe = () => {
    while (holders.taken() < places) {
      const next = nextUnsafe()
      if (next === undefined) return
      queue.delete(next.waiter)
      Deferred.doneUnsafe(next.waiter.turn, Effect.succeed(holders.enterUnsafe(next.place)))
    }
  }

  const release = (place: Place) =>
    Effect.sync(() => {
      holders.leaveUnsafe(place)
      passOnUnsafe()
    })

  /** A waiter that leaves may have been given its place at that moment, and then passes it on. */
  const leave = (waiter: Waiter) =>
    Effect.suspend(() => (queue.delete(waiter) ? Effect.void : Effect.flatMap(Deferred.await(waiter.turn), release)))

  const queued = (caller: Caller | undefined, restore: Restore) =>
    Effect.suspend(() => {
      const waiter = { caller, turn: Deferred.makeUnsafe<Place>() }
      queue.add(waiter)
      const unseen = caller?.whenJoined(passOnUnsafe)
      const turn = Deferred.await(waiter.turn)
      const tooLate = Effect.andThen(leave(waiter), Effect.fail(refusal()))
      return restore(wait === undefined ? Effect.asSome(turn) : Effect.timeoutOption(turn, wait)).pipe(
        Effect.onInterrupt(() => leave(waiter)),
        Effect.flatMap(Option.match({ onNone: () => tooLate, onSome: Effect.succeed })),
        Effect.ensuring(Effect.sync(() => unseen?.()))
      )
    })

  const take = (restore: Restore) =>
    Effect.flatMap(CurrentCaller, (caller): Effect.Effect<Place, E> => {
      const { holds, place } = holders.leastOf(caller)
      if (holders.taken() < places && holds < each.places) return Effect.succeed(holders.enterUnsafe(place))
      return isFull(queue, bounds, caller) ? Effect.fail(refusal()) : queued(caller, restore)
    }).pipe(Effect.uninterruptible)

  return {
    use: (effect) =>
      Effect.uninterruptibleMask((restore) => Effect.flatMap(take(restore), (place) => Effect.ensuring(restore(effect), release(place)))),
    hold: Effect.uninterruptibleMask((restore) => Effect.flatMap(take(restore), (place) => Effect.addFinalizer(() => release(place)))),
    take,
    release,
    taken: holders.taken,
    waiting: () => queue.size
  }
}

/** Whether as many wait, in all or of this caller, as may. */
const isFull = (queue: ReadonlySet<Waiter>, { each = UNBOUNDED, waiting }: Bounds, caller: Caller | undefined) => {
  if (queue.size >= waiting) return true
  if (caller === undefined || each.waiting >= waiting) return false
  let own = 0
  for (const waiter of queue) if (waiter.caller !== undefined && !waiter.caller.names.isDisjointFrom(caller.names)) own++
  return own >= each.waiting
}

/** How much each caller holds. */
const makeHolders = () => {
  const held = new HeldCounts()
  let taken = 0

  /** The one that holds least, among those for whom the caller works. */
  const leastOf = (caller: Caller | undefined): { readonly place: Place; readonly holds: number } => {
    let least: { place: Place; holds: number } = { place: undefined, holds: caller === undefined ? 0 : Infinity }
    for (const place of caller?.names ?? []) {
      const holds = held.of(place)
      if (holds < least.holds) least = { place, holds }
    }
    return least
  }

  const enterUnsafe = (place: Place): Place => {
    taken++
    if (place !== undefined) held.enter(place)
    return place
  }

  const leaveUnsafe = (place: Place) => {
    taken--
    if (place !== undefined) held.leave(place)
  }

  return { leastOf, enterUnsafe, leaveUnsafe, taken: () => taken }
}
