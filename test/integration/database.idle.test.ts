/**
 * Postgres ends a session whose transaction stays idle for 30 s, as one of a node that was frozen in the middle of a request. When the node
 * wakes, what it says next is answered by the end of the session.
 */
import { isOutOfTime } from "@agon/server/database/rows.ts"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Service from "../support/Service.ts"

/** Long after the session has ended. */
const SILENT_MS = 500

layer(Layer.orDie(Service.layer()), { excludeTestServices: true, timeout: "120 seconds" })("a transaction that idles", (it) => {
  it.effect.each(["idle_in_transaction_session_timeout", "transaction_timeout"])("ends by %s, and what follows in it says so", (limit) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const silent = Effect.andThen(sql`SELECT set_config(${limit}, '50ms', true)`, Effect.sleep(SILENT_MS))
      const cause = yield* Effect.flip(Effect.sandbox(sql.withTransaction(Effect.andThen(silent, sql`SELECT 1`))))
      const errors = cause.reasons.map((reason) => (Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) && reason.error))
      assert.isNotEmpty(errors)
      for (const error of errors) assert.isTrue(SqlError.isSqlError(error) && isOutOfTime(error), String(error))
    })
  )

  it.effect.each(["25P03", "25P04", "57P05"])("is answered with 503 where a request was in it, as Postgres says by %s", (state) =>
    Effect.gen(function* () {
      const { as } = yield* Service.Service
      const admin = yield* as("admin")
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(`CREATE FUNCTION ends_${state}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'terminating connection' USING ERRCODE = '${state}'; END $$`)
      yield* sql.unsafe(`CREATE TRIGGER ends BEFORE INSERT ON runner_key FOR EACH ROW EXECUTE FUNCTION ends_${state}()`)
      const create = admin.fleet.createKey({ payload: { name: "rack" } })
      assert.strictEqual((yield* Effect.flip(create))._tag, "unavailable")
      yield* sql`DROP TRIGGER ends ON runner_key`
      yield* create
    })
  )
})
