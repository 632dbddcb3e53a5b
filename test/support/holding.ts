/** Statements whose locks are held for a while, in a transaction of their own. */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

/** Until the scope ends; then they are taken back. */
export const holding = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void>()
  const hold = Effect.andThen(sql.unsafe(statement), Effect.andThen(Deferred.succeed(held, undefined), Effect.never))
  yield* Effect.forkScoped(sql.withTransaction(hold))
  yield* Deferred.await(held)
})

/** Until the effect that this gives is run: they are committed by it. They are of `PgClient`, and so is the transaction. */
export const holdingUntil = <A, E, R>(statements: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [done, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const held = Effect.andThen(statements, Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(goOn)))
    const fiber = yield* Effect.forkChild(sql.withTransaction(held))
    yield* Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
    return Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(fiber))
  })
