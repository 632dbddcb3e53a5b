/** Migrations of rows that an older service has written. */

import { MIGRATION_TABLE, migrateBy } from "@agon/server/database/migrate.ts"
import { migrations, TABLES } from "@agon/server/database/migrations/index.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Postgres from "../support/Postgres.ts"

layer(Postgres.layer())("migration 0002", (it) => {
  it.effect("keeps the first of a roster's logins that differ by case alone, and lets no second one in", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrations["0001_core"]
      yield* sql`INSERT INTO game VALUES ('snakes')`
      yield* Fixture.insert("season", [
        Fixture.season(Fixture.uuid("season", 1), "spring"),
        Fixture.season(Fixture.uuid("season", 2), "summer")
      ])
      const on = (n: number, season: number, provider: string, login: string) => ({
        id: Fixture.uuid("participant", n),
        season_id: Fixture.uuid("season", season),
        provider,
        login,
        added_at: Fixture.at(n)
      })
      yield* Fixture.insert("participant", [on(1, 1, "hub", "Ada"), on(2, 1, "hub", "ada"), on(3, 1, "lab", "ada"), on(4, 2, "hub", "ADA")])
      yield* migrations["0002_notices"]
      const kept = yield* sql<{ readonly login: string }>`SELECT login FROM participant ORDER BY id`
      assert.deepStrictEqual(
        kept.map(({ login }) => login),
        ["Ada", "ada", "ADA"]
      )
      const refused = yield* Effect.flip(Fixture.insert("participant", [on(5, 1, "hub", "aDA")]))
      assert.strictEqual((refused as any).reason._tag, "UniqueViolation")
    })
  )
})

layer(Postgres.layer({ migrate: true }))("all migrations", (it) => {
  it.effect("make the tables that a backup takes for the service's, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`
      assert.sameMembers(
        made.map(({ name }) => name),
        [...TABLES, MIGRATION_TABLE]
      )
    })
  )
})

layer(Postgres.layer(), { excludeTestServices: true })("migrations beside play", (it) => {
  it.effect("begin again when Postgres ends them to resolve a deadlock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE first ()`
      yield* sql`CREATE TABLE second ()`
      const [plays, holdsFirst] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // It never looks for the deadlock itself, so that Postgres ends the other one.
      const play = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL deadlock_timeout = '1h'`
          yield* sql`SELECT FROM second`
          yield* Deferred.succeed(plays, undefined)
          yield* Deferred.await(holdsFirst)
          yield* sql`SELECT FROM first`
        })
      )
      const playing = yield* Effect.forkChild(play)
      yield* Deferred.await(plays)
      let tries = 0
      const migration = Effect.gen(function* () {
        tries += 1
        yield* sql`ALTER TABLE first ADD COLUMN n int`
        yield* Deferred.succeed(holdsFirst, undefined)
        const waits = sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`
        if (tries === 1)
          yield* eventually(
            "play that waits for the migration",
            Effect.map(waits, ([row]) => row!.n === 1)
          )
        yield* sql`ALTER TABLE second ADD COLUMN n int`
      })
      assert.deepStrictEqual(yield* migrateBy({ "0001_both": migration }), [[1, "both"]])
      yield* Fiber.join(playing)
      assert.strictEqual(tries, 2)
    })
  )
})
