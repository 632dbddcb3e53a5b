/** The question of operators whether the service is ready. */

import * as Operations from "@agon/server/http/Operations.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Postgres from "../support/Postgres.ts"
import { Web } from "../support/Web.ts"

const database = Postgres.layer({ migrate: true })

layer(Web.layer(Operations.layer).pipe(Layer.provideMerge(database)))("/readyz", (it) => {
  it.effect("asks the database four times a second at most, however many ask, and says within 250 ms what changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* Web
      const status = Effect.map(call("/readyz"), (answered) => answered.status)
      const crowd = Effect.all(
        Array.from({ length: 50 }, () => status),
        { concurrency: 50 }
      )
      assert.deepStrictEqual(new Set(yield* crowd), new Set([200]))

      yield* sql`ALTER TABLE agon_migration RENAME TO agon_migration_away`
      assert.deepStrictEqual(new Set(yield* crowd), new Set([200]))
      yield* TestClock.adjust("250 millis")
      const away = yield* call("/readyz")
      assert.deepStrictEqual([away.status, away.json], [503, { ready: false, waits_for: "database" }])

      yield* sql`ALTER TABLE agon_migration_away RENAME TO agon_migration`
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(yield* status, 200)
    })
  )

  it.effect("says what changed also after the host's clock was set back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* Web
      const status = Effect.map(call("/readyz"), (answered) => answered.status)
      assert.strictEqual(yield* status, 200)
      yield* TestClock.setTime(-3_600_000)
      yield* sql`ALTER TABLE agon_migration RENAME TO agon_migration_away`
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(yield* status, 503)
      yield* sql`ALTER TABLE agon_migration_away RENAME TO agon_migration`
    })
  )
})
