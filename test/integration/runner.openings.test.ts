/** A session that a runner asks for, and breaks off, keeps no other runner of its key from opening one. */
import { SharedClock } from "@agon/server/database/SharedClock.ts"
import { makeOpenings } from "@agon/server/runner/session/openings.ts"
import type { NewSession } from "@agon/server/runner/session/sessionQueries.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { seeded } from "../support/AddressedDatabase.ts"
import { brokenOffAnywhere } from "../support/brokenOff.ts"

layer(SharedClock.layer.pipe(Layer.provideMerge(seeded)))("sessions of a key", (it) => {
  it.effect("are opened for the next runner, whenever the one before hung up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const key_id = crypto.randomUUID()
      yield* sql`INSERT INTO runner_key (id, name, prefix, key_sha256, created_by, created_at)
        SELECT ${key_id}::uuid, 'one', 'agr_one', '\\x00', id, now() FROM account WHERE username = 'ada'`
      const session = (): NewSession => ({
        id: crypto.randomUUID(),
        name: "one",
        slots: 1,
        runtime_version: "test",
        engines: [],
        accepts: ["match"],
        isolation: null
      })
      const steps = yield* brokenOffAnywhere(
        makeOpenings,
        (open) => open(key_id, session()),
        (open) => {
          const next = session()
          return Effect.map(open(key_id, next), (opened) => assert.strictEqual(opened?.id, next.id))
        }
      )
      assert.isAbove(steps, 3)
    })
  )
})
