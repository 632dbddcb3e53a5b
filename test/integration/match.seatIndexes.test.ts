/**
 * The indexes of seats by version on a database that had too many seats for the migration, while play holds
 * transactions open.
 */

import { migrations } from "@agon/server/database/migrations/index.ts"
import { SeatIndexes } from "@agon/server/match/list/SeatIndexes.ts"
import { INDEXES, type SeatIndexRow } from "@agon/server/match/list/seatIndexSteps.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocked } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"

const indexes = Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<SeatIndexRow>(INDEXES))
const both = (covers: boolean): ReadonlyArray<SeatIndexRow> => ["seat_trial", "seat_version"].map((name) => ({ name, valid: true, covers }))
const [WIDE, NARROW] = [both(true), both(false)]

/** As before the migration. */
const narrowed = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.andThen(
    sql`DROP INDEX IF EXISTS seat_version, seat_version_next, seat_trial, seat_trial_next`,
    Effect.andThen(
      sql`CREATE INDEX seat_version ON seat (version_id, ended_at DESC)`,
      sql`CREATE INDEX seat_trial ON seat (version_id, ended_at DESC) WHERE made_mu IS NULL AND rank > 0`
    )
  )
)

/** The last migration that makes them, on a database that has all of the schema but this one. */
const migrated = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`DROP TABLE discussed_match`
  yield* sql`DROP FUNCTION match_is_discussed, comments_are_counted, seats_have_upset CASCADE`
  yield* sql`ALTER TABLE seat DROP COLUMN closeness, DROP COLUMN upset, DROP COLUMN turns, DROP COLUMN shared`
  yield* narrowed
  yield* migrations["0047_discussed_matches"]
})

/** A transaction that has written a seat, and writes another before it ends. */
const transaction = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [begun, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const write = (n: number) => sql`UPDATE seat SET strikes = ${n} WHERE (match_id, seat) = (SELECT match_id, seat FROM seat LIMIT 1)`
  const play = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* write(1)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(asked)
        yield* write(2)
      })
    )
  )
  yield* Deferred.await(begun)
  return { end: Effect.andThen(Deferred.succeed(asked, undefined), Fiber.join(play)) }
})

const look = Effect.scoped(Effect.flatMap(Effect.provide(SeatIndexes, SeatIndexes.layer), (service) => service.look))

layer(Postgres.layer({ migrate: true, maxConnections: 4 }))("the indexes of seats by version", (it) => {
  it.effect("are those that lists of a side are read off, on a new database", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* indexes, WIDE)
      assert.strictEqual(yield* look, 0)
    })
  )

  it.effect("are left to the service where many seats are there, and made by the migration where few are", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const more = (seats: number) =>
        sql`INSERT INTO seat (match_id, seat, season_id, version_id, model_id, ended_at, rank, score, strikes)
          SELECT gen_random_uuid(), 0, id, id, id, now(), 1, 0, 0 FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${seats}::int)) new`
      yield* more(50_001)
      yield* migrated
      assert.deepStrictEqual(yield* indexes, NARROW)
      yield* sql`TRUNCATE seat`
      yield* more(50_000)
      yield* migrated
      assert.deepStrictEqual(yield* indexes, WIDE)
    })
  )

  it.effect("are replaced by one node of several, while a transaction that play has begun goes on", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* narrowed
      const play = yield* transaction
      const first = yield* Effect.forkChild(look)
      yield* blocked(1)
      assert.strictEqual(yield* look, 0, "the first one has the lock")
      yield* play.end
      assert.strictEqual(yield* Fiber.join(first), 6, "made, the old one dropped, renamed, each of the two")
      assert.deepStrictEqual(yield* indexes, WIDE)
      assert.isEmpty(yield* sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`, "the lock is let go")
    })
  )

  it.effect("of which a node left one unfinished are made by the next one", () =>
    Effect.gen(function* () {
      yield* narrowed
      const play = yield* transaction
      const stopped = yield* Effect.forkChild(look)
      yield* blocked(1)
      yield* Fiber.interrupt(stopped)
      yield* play.end
      assert.isFalse((yield* indexes).find(({ name }) => name === "seat_trial_next")!.valid)
      assert.strictEqual(yield* look, 7)
      assert.deepStrictEqual(yield* indexes, WIDE)
    })
  )
})
