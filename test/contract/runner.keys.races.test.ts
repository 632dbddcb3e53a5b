/**
 * Writes on runners that meet: of a session that is opened and the end of its key, whichever comes first, no runner stays active under a key
 * that is not in force; and a sweep waits for nobody.
 */

import { retryRefused } from "@agon/api/retryRefused.ts"
import { makeQueries } from "@agon/server/runner/session/sessionQueries.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { blocked } from "../support/eventually.ts"
import { holdingUntil } from "../support/holding.ts"
import { about, keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const hold = (key: string) => Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT 1 FROM runner_key WHERE id = ${key} FOR NO KEY UPDATE`)

/** A runner's row as another node writes it, under the lock of its key. */
const opened = (key: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.andThen(
      hold(key),
      sql`INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
        VALUES (gen_random_uuid(), ${key}, 'r', 'rt', '[]', '{match}', 1, 'active', now(), now())`
    )
  )

const states = (key: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(sql<{ readonly state: string }>`SELECT state FROM runner WHERE key_id = ${key}`, (rows) => rows.map(({ state }) => state))
  )

layer(Service.layer(), { excludeTestServices: true, timeout: "120 seconds" })("a runner", (it) => {
  it.effect("whose key is revoked on another node while it opens a session is refused, and nothing is written", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { client, key } = yield* keyed("revoked first")
      const revoked = yield* holdingUntil(sql`UPDATE runner_key SET revoked_at = now() WHERE id = ${key}`)
      const opening = yield* Effect.forkChild(Effect.flip(client.runner.openSession({ payload: about })))
      yield* blocked(1)
      yield* revoked
      assert.deepInclude(yield* Fiber.join(opening), { code: "unauthenticated" })
      assert.deepStrictEqual(yield* states(key), [])
    })
  )

  it.effect("whose key loses the office of its maker meanwhile is refused, and nothing is written", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { as } = yield* Service.Service
      const root = yield* keyed("offices")
      yield* as("lost")
      yield* root.admin.platform.editUser({ params: { username: "lost" }, payload: { admin: true } })
      const { client, key } = yield* keyed("lost", yield* as("lost"))
      const dismissed = yield* holdingUntil(Effect.andThen(sql`UPDATE account SET admin = false WHERE username = 'lost'`, hold(key)))
      const opening = yield* Effect.forkChild(Effect.flip(client.runner.openSession({ payload: about })))
      yield* blocked(1)
      yield* dismissed
      assert.deepInclude(yield* Fiber.join(opening), { code: "unauthenticated" })
      assert.deepStrictEqual(yield* states(key), [])
    })
  )

  it.effect("that has just joined ends with its key", () =>
    Effect.gen(function* () {
      const { admin, key } = yield* keyed("opened first")
      const written = yield* holdingUntil(opened(key))
      const revoking = yield* Effect.forkChild(admin.fleet.revokeKey({ params: { key } }))
      yield* blocked(1)
      yield* written
      yield* Fiber.join(revoking)
      assert.deepStrictEqual(yield* states(key), ["gone"])
    })
  )

  it.effect("that has just joined ends with the office of its key's maker", () =>
    Effect.gen(function* () {
      const { as } = yield* Service.Service
      const root = yield* keyed("ends")
      const here = yield* seasonOf("ends", root)
      const deputy = yield* as("deputy")
      yield* root.admin.seasonAdmins.appointAdmin({ params: here, payload: { username: "deputy" } })
      const made = yield* retryRefused(deputy.seasonFleet.createSeasonKey({ params: here, payload: { name: "mine" } }))
      const written = yield* holdingUntil(opened(made.id))
      const leaving = yield* Effect.forkChild(
        root.admin.seasonAdmins.dismissAdmin({ params: here, payload: { username: "deputy" }, query: {} })
      )
      yield* blocked(1)
      yield* written
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(yield* states(made.id), ["gone"])
    })
  )

  it.effect("that another statement holds is passed over by the sweep, which goes on with the others", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { key, open } = yield* keyed("swept")
      const [held, free] = [yield* open(["match"]), yield* open(["match"])]
      yield* sql`UPDATE runner SET last_seen_at = last_seen_at - interval '1 day' WHERE key_id = ${key}`
      const release = yield* holdingUntil(sql`SELECT 1 FROM runner WHERE id = ${held} FOR NO KEY UPDATE`)
      const { sweep } = yield* makeQueries
      const swept = Effect.andThen(
        sweep(new Date(Date.now() - 90_000)),
        sql<{ readonly id: string }>`SELECT id FROM runner WHERE key_id = ${key} AND state = 'gone'`
      )
      assert.deepStrictEqual(yield* swept.pipe(Effect.timeout("10 seconds")), [{ id: free }])
      yield* release
      assert.strictEqual((yield* swept).length, 2)
    })
  )
})
