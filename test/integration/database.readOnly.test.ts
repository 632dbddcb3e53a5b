/** A database that is set read-only while the service runs, as hosts do whose disk is full. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Service from "../support/Service.ts"

const alter = (change: string) => `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${change}', current_database()); END $$`

layer(Layer.orDie(Service.layer()), { excludeTestServices: true, timeout: "120 seconds" })("a database that takes no writes", (it) => {
  it.effect("is answered with 503 where something is written, and read on", () =>
    Effect.gen(function* () {
      const { as, origin } = yield* Service.Service
      const admin = yield* as("admin")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE session SET last_seen_at = now() - interval '5 minutes'`
      yield* sql.unsafe(alter("SET default_transaction_read_only = on"))
      yield* Effect.ignore(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() ORDER BY pid = pg_backend_pid()`) // its own as the last one
      yield* Effect.sleep("1 second")
      const refused = yield* Effect.flip(admin.fleet.createKey({ payload: { name: "rack" } }))
      assert.strictEqual(refused._tag, "unavailable")
      const games = yield* Effect.promise(() => fetch(`${origin}/v1/games`))
      assert.strictEqual(games.status, 200)
      assert.strictEqual((yield* admin.account.me()).username, "admin", "though when the session was last seen cannot be noted")
    })
  )
})
