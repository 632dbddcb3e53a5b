/**
 * Writes that are under way in somebody's name. A session is looked up when a request comes; an account that is suspended a
 * moment later is to write nothing that it has not written by then, so its requests are ended, here at once and on other nodes
 * when they hear of it (node/Broadcast.ts). What they had begun in the database is rolled back with them. A node that hears
 * nothing just then misses a write of that moment and no more: the next request finds no session.
 */
import { Context, Data, Deferred, Effect, Layer } from "effect"
import { Broadcast } from "../node/Broadcast.ts"

/** The account was suspended while its request was under way. */
export class Ended extends Data.TaggedError("Ended") {}

export interface OngoingShape {
  /** A moment before the session of a request is looked up. */
  readonly moment: () => number
  /** Runs a request of the account's until it is done or the account is ended, also where that was since the moment. */
  readonly inNameOf: <A, E, R>(account_id: string, moment: number, request: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Ended, R>
  /** Ends what the account has under way, on every node. */
  readonly end: (account_id: string) => Effect.Effect<void>
}

/** Without the layer nothing is ended. */
export class Ongoing extends Context.Reference<OngoingShape>("agon/Ongoing", {
  defaultValue: () => ({ moment: () => 0, inNameOf: (_account, _moment, request) => request, end: () => Effect.void })
}) {
  static readonly layer: Layer.Layer<never, never, Broadcast> = Layer.effect(
    Ongoing,
    Effect.suspend(() => makeOngoing)
  )
}

/** Accounts remembered as ended: a request that was looked up before and begins after is of the last milliseconds. */
const ENDED_MAX = 1_000

const makeOngoing = Effect.gen(function* () {
  const { listen, tell } = yield* Broadcast
  const here = makeHere()
  yield* listen({
    topic: "suspended",
    heard: (ids) => Effect.forEach(ids, here.end, { discard: true }),
    deaf: Effect.void,
    hearing: Effect.void
  })
  return { ...here, end: (account_id: string) => Effect.andThen(here.end(account_id), tell("suspended", [account_id])) }
})

const makeHere = (): OngoingShape => {
  const running = new Map<string, Set<Deferred.Deferred<never, Ended>>>()
  /** When accounts were ended, counted in endings. */
  const ended = new Map<string, number>()
  let endings = 0

  const enter = (account_id: string) => {
    const ending = Deferred.makeUnsafe<never, Ended>()
    const others = running.get(account_id) ?? new Set()
    running.set(account_id, others.add(ending))
    return ending
  }
  const leave = (account_id: string, ending: Deferred.Deferred<never, Ended>) => {
    const others = running.get(account_id)
    if (others?.delete(ending) && others.size === 0) running.delete(account_id)
  }

  return {
    moment: () => endings,
    inNameOf: (account_id, moment, request) =>
      Effect.suspend(() => {
        if ((ended.get(account_id) ?? 0) > moment) return Effect.fail(new Ended())
        const ending = enter(account_id)
        return Effect.ensuring(
          Effect.raceFirst(request, Deferred.await(ending)),
          Effect.sync(() => leave(account_id, ending))
        )
      }),
    end: (account_id) =>
      Effect.suspend(() => {
        ended.delete(account_id)
        ended.set(account_id, (endings += 1))
        if (ended.size > ENDED_MAX) ended.delete(ended.keys().next().value!)
        return Effect.forEach([...(running.get(account_id) ?? [])], (ending) => Deferred.fail(ending, new Ended()), { discard: true })
      })
  }
}
