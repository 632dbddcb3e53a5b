/** A runner and all that it holds, read in one statement, as each of several nodes does with every lease request. */

import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { Runners } from "@agon/server/runner/session/Runners.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { untilSuccess } from "../support/eventually.ts"
import { isAudit, isMatch, keyed, playMatches, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const service = Service.layer({ replay_check: 0, audit: 1 }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))

layer(service, { excludeTestServices: true })("a runner with what it holds", (it) => {
  it.effect("has its matches, reviews and audits, and is nobody in upper case, under another key or once its row is gone", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const another = Effect.provideService(Layer.build(Layer.fresh(Runners.layer)), SqlClient.SqlClient, sql)
      const { heardHolding } = Context.get(yield* another, Runners)
      const [fleet, other] = [yield* keyed("holds"), yield* keyed("plays")]
      yield* seasonOf("holds", fleet)
      yield* playMatches(other.client, yield* other.open(["match"]), 1)
      const runner = yield* fleet.open(["match", "audit"])
      const held: Array<string> = []
      const kinds = new Set<string>()
      yield* untilSuccess(
        Effect.gen(function* () {
          const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 0, holds: held } })
          for (const work of leases) {
            held.push(work.lease)
            kinds.add(isAudit(work) ? "audit" : isMatch(work) ? "match" : "review")
          }
          return kinds.size === 2 ? undefined : yield* Effect.fail(new Error("it has not both yet"))
        })
      )
      const [mine] = yield* sql<{ readonly id: string; readonly version: string }>`
        INSERT INTO review (season_id, version_id, lease_n, runner_id, key_id, until, released)
        SELECT v.season_id, v.id, 7, r.id, r.key_id, now(), false FROM runner r, version v WHERE r.id = ${runner} LIMIT 1
        RETURNING season_id AS id, version_id AS version`
      const key = { id: fleet.key, season_id: null }
      const found = yield* heardHolding(key, runner)
      assert.strictEqual(found.runner.id, runner)
      const named = found.leases.map(({ lease }) => lease)
      assert.sameMembers(named, [...held, `${mine!.version}.7`])
      const seasons = new Set(found.leases.map(({ season }) => season))
      assert.deepStrictEqual(seasons, new Set(["audits", mine!.id]))
      for (const { lease, season, seats, ...whose } of found.leases) {
        assert.deepInclude(whose, { runner, key: fleet.key })
        assert.strictEqual(seats, season === "audits" || lease.startsWith(mine!.version) ? null : 2)
      }
      const none = (of: typeof key, id: string) => Effect.map(Effect.flip(heardHolding(of, id)), ({ code }) => code)
      assert.strictEqual(yield* none({ ...key, id: other.key }, runner), "not_found")
      assert.strictEqual(yield* none(key, runner.toUpperCase()), "not_found")
      yield* sql`DELETE FROM review WHERE version_id = ${mine!.version}`
      yield* fleet.client.runner.closeSession({ params: { runner } })
      yield* sql`DELETE FROM runner WHERE id = ${runner}`
      for (const id of [runner, "", `${runner}x`, "0"]) assert.strictEqual(yield* none(key, id), "not_found")
    })
  )
})
