/**
 * Requests that are under way for an account or under a runner key, each by its id. A session is looked up
 * when a request arrives. When the account is suspended a moment later, its writes are interrupted, here at
 * once and on other nodes when the message arrives (node/Broadcast.ts), and their transactions are rolled
 * back. A node that misses the message may complete a write that was under way at that moment, and no more:
 * the next request finds no session.
 *
 * Requests under a runner key, which may wait for work, end in the same way when the key is revoked.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Context, Data, Deferred, Effect, Layer } from "effect"
import { Broadcast } from "../../node/Broadcast.ts"

/** The account was suspended, or the runner key revoked, while its request was under way. */
export class Ended extends Data.TaggedError("Ended") {}

export interface OngoingShape {
  /** The current moment; to be taken before the credential of a request is looked up. */
  readonly moment: () => number
  /**
   * Runs a request of the account or key until it is done or its holder is ended, also where
   * that happened since `moment`.
   */
  readonly inNameOf: <A, E, R>(holder_id: string, moment: number, request: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Ended, R>
  /** Interrupts the holder's requests that are under way, on every node. */
  readonly end: (holder_id: string) => Effect.Effect<void>
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

/**
 * Accounts and keys remembered as ended. They matter only for requests between look-up and
 * start, a gap of milliseconds.
 */
const ENDED_MAX = 1_000

const makeOngoing = Effect.gen(function* () {
  const { listen, tell } = yield* Broadcast
  const here = makeHere()
  yield* listen({
    topic: "suspended",
    heard: (ids) => Effect.forEach(ids, here.end, { discard: true }),
    disconnected: Effect.void,
    hearing: Effect.void
  })
  return { ...here, end: (holder_id: string) => Effect.andThen(here.end(holder_id), tell("suspended", [holder_id])) }
})

const makeHere = (): OngoingShape => {
  const running = new Map<string, Set<Deferred.Deferred<never, Ended>>>()
  /** The moment at which each holder was ended; a moment is a count of endings. */
  const ended = new CappedMap<string, number>(ENDED_MAX)
  let endings = 0

  const enter = (holder_id: string) => {
    const ending = Deferred.makeUnsafe<never, Ended>()
    const others = running.get(holder_id) ?? new Set()
    running.set(holder_id, others.add(ending))
    return ending
  }
  const leave = (holder_id: string, ending: Deferred.Deferred<never, Ended>) => {
    const others = running.get(holder_id)
    if (others?.delete(ending) && others.size === 0) running.delete(holder_id)
  }

  return {
    moment: () => endings,
    inNameOf: (holder_id, moment, request) =>
      Effect.suspend(() => {
        if ((ended.get(holder_id) ?? 0) > moment) return Effect.fail(new Ended())
        const ending = enter(holder_id)
        return Effect.ensuring(
          Effect.raceFirst(request, Deferred.await(ending)),
          Effect.sync(() => leave(holder_id, ending))
        )
      }),
    end: (holder_id) =>
      Effect.suspend(() => {
        ended.set(holder_id, (endings += 1))
        return Effect.forEach([...(running.get(holder_id) ?? [])], (ending) => Deferred.fail(ending, new Ended()), { discard: true })
      })
  }
}
