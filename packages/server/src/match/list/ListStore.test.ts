import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { seasonId } from "../../../../../test/support/ManyRows.ts"
import * as Postgres from "../../../../../test/support/Postgres.ts"
import { makeListStore } from "./ListStore.ts"

const layerSql = Layer.unwrap(Effect.map(Postgres.url({ migrate: true }), (url) => PgClient.layer({ url, maxConnections: 1 })))

layer(layerSql, { timeout: 60_000 })("a list that cannot be stored", (it) => {
  it.effect("costs nobody the count in whose transaction it was to be", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* makeListStore
      yield* sql`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$`
      yield* sql`CREATE TRIGGER refusing BEFORE INSERT ON kept_list FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.refuse()`
      const kept = { from: new Date(0), marks: "", total: 1, whole: true, last_trial: null, rows: [] }
      const counted = Effect.gen(function* () {
        yield* store.save("a list", new Map([[seasonId(1), kept as never]]))
        return yield* sql`SELECT 7 AS count`
      })
      assert.deepStrictEqual(yield* sql.withTransaction(counted), [{ count: 7 }])
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
