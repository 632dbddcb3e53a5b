/** A statement whose locks are held until the scope ends, in a transaction of its own. */
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"

export const holding = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void>()
  const hold = Effect.andThen(sql.unsafe(statement), Effect.andThen(Deferred.succeed(held, undefined), Effect.never))
  yield* Effect.forkScoped(sql.withTransaction(hold))
  yield* Deferred.await(held)
})
