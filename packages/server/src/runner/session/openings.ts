/**
 * Opens sessions. Those of one key that are asked for at about the same time are opened in one transaction, which holds the key: a fleet that
 * comes back has up to a hundred runners of each key, and each would keep a connection of the pool while it waits for those before it.
 *
 *   asked ──▶ waiting for its key ──the key's transaction before has ended, and one of KEYS_TOGETHER is free──▶ opened, with all that wait
 *
 * A request that ends while it waits opens none.
 */
import { Deferred, Effect, Exit, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { SharedClock } from "../../database/SharedClock.ts"
import { makeQueries, type NewSession, type OpenedSession } from "./sessionQueries.ts"

/** Keys whose sessions are opened at the same time, each with a connection of its own. */
const KEYS_TOGETHER = 4

/** Undefined where the key is not there any more. */
type Answer = Deferred.Deferred<OpenedSession | undefined>

export const makeOpenings = Effect.gen(function* () {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const places = yield* Semaphore.make(KEYS_TOGETHER)
  /** By keys whose sessions are being opened. */
  const waiting = new Map<string, Map<NewSession, Answer>>()

  const insert = Effect.fnUntraced(function* (key_id: string, sessions: ReadonlyArray<NewSession>) {
    const now = new Date(yield* shared.now_ms)
    yield* queries.forget({ key_id, now })
    return yield* sql.withTransaction(Effect.andThen(queries.holdKey(key_id), queries.openSessions({ key_id, now, sessions })))
  })

  const openNext = Effect.fnUntraced(function* (key_id: string, asked: Map<NewSession, Answer>) {
    const those = new Map(asked)
    asked.clear()
    if (those.size === 0) return
    const opened = yield* Effect.exit(Effect.orDie(insert(key_id, [...those.keys()])))
    for (const [{ id }, answer] of those)
      Deferred.doneUnsafe(
        answer,
        Exit.map(opened, (rows) => rows.find((row) => row.id === id))
      )
  })

  const openAll = (key_id: string, asked: Map<NewSession, Answer>) => {
    /** Checks and ends in one step, so that nobody joins who is not opened. */
    const goesOn = () => asked.size > 0 || !waiting.delete(key_id)
    return Effect.andThen(Effect.yieldNow, Effect.repeat(places.withPermit(openNext(key_id, asked)), { while: goesOn }))
  }

  return (key_id: string, session: NewSession) =>
    Effect.uninterruptibleMask((restore) => {
      const answer = Deferred.makeUnsafe<OpenedSession | undefined>()
      const others = waiting.get(key_id)
      const asked = others ?? new Map<NewSession, Answer>()
      asked.set(session, answer)
      waiting.set(key_id, asked)
      const begun = others === undefined ? Effect.forkIn(openAll(key_id, asked), scope) : Effect.void
      return Effect.andThen(
        begun,
        Effect.onInterrupt(restore(Deferred.await(answer)), () => Effect.sync(() => asked.delete(session)))
      )
    })
})
