/** Migrations of rows that an older service has written. */

import { migrations } from "@agon/server/database/migrations/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
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
