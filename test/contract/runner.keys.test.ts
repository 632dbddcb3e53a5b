/** Bounds of a runner key: its runtimes, its sessions, its faults, and the account that made it. */

import { retryRefused } from "@agon/api/retryRefused.ts"
import { SESSIONS_MAX } from "@agon/server/runner/session/sessionQueries.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { about, isMatch, keyed, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const code = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.map(Effect.flip(call), (error) => (error as { readonly code?: string }).code)
const rows = <Row extends object>(text: string, ...values: ReadonlyArray<string>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text, values))

layer(Service.layer(), { excludeTestServices: true, timeout: "120 seconds" })("a runner key", (it) => {
  it.effect("of a runtime that nobody knows is given no work and cannot report, and its record says so", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("runtimes")
      yield* seasonOf("runtimes", fleet)
      const { runner } = yield* fleet.client.runner.openSession({ payload: { ...about, runtime_version: "mine" } })
      const { drain, leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 4, wait_s: 1 } })
      assert.deepStrictEqual([drain, leases], [false, []])
      const known = yield* fleet.open(["match"])
      const { leases: works } = yield* fleet.client.runner.lease({ payload: { runner: known, max: 1, wait_s: 10 } })
      const work = works.find(isMatch)!
      const { runners } = yield* fleet.admin.fleet.runners({ query: {} as never })
      assert.deepStrictEqual(
        [runner, known].map((id) => runners.find((each) => each.id === id)?.runtime_known),
        [false, true]
      )
      const mine = report(fleet.client, work, { told: (told) => ({ ...told, runtime_version: "mine" }) })
      assert.strictEqual(yield* code(mine), "invalid_request")
      yield* report(fleet.client, work)
    })
  )

  it.effect("has so many sessions that are heard of and no more; those that are gone make room", () =>
    Effect.gen(function* () {
      const { client, key, open } = yield* keyed("sessions")
      const first = yield* open(["match"])
      yield* rows(
        `INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
         SELECT gen_random_uuid(), key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at
         FROM runner, generate_series(1, $2::text::int) WHERE id = $1::uuid`,
        first,
        String(SESSIONS_MAX - 1)
      )
      assert.strictEqual(yield* code(open(["match"])), "too_many_runners")
      assert.isFalse((yield* client.runner.heartbeat({ payload: { runner: first, leases: [] } })).drain)
      yield* rows("UPDATE runner SET state = 'gone' WHERE id <> $1::uuid AND key_id = $2::uuid", first, key)
      yield* open(["match"])
    })
  )

  it.effect("stops while the account that made it is suspended: work of its runners goes back, and they come back with it", () =>
    Effect.gen(function* () {
      const root = yield* keyed("root")
      const { as } = yield* Service.Service
      yield* as("deputy")
      yield* root.admin.platform.editUser({ params: { username: "deputy" }, payload: { admin: true } })
      const deputy = yield* keyed("deputy", yield* as("deputy"))
      yield* seasonOf("deputies", root)
      const runner = yield* deputy.open(["match"])
      const { leases } = yield* deputy.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
      const work = leases.find(isMatch)!
      yield* root.admin.platform.editUser({ params: { username: "deputy" }, payload: { suspended: true } })
      assert.strictEqual(yield* code(report(deputy.client, work)), "unauthenticated")
      assert.strictEqual(yield* code(deputy.open(["match"])), "unauthenticated")
      const other = yield* root.open(["match"])
      const again = yield* untilSuccess(
        Effect.flatMap(root.client.runner.lease({ payload: { runner: other, max: 1, wait_s: 10 } }), ({ leases }) =>
          leases.length === 0 ? Effect.fail("none") : Effect.succeed(leases[0]!.lease)
        )
      )
      assert.strictEqual(again, work.lease.replace(/1$/, "2"))
      yield* root.admin.platform.editUser({ params: { username: "deputy" }, payload: { suspended: false } })
      assert.isFalse((yield* deputy.client.runner.heartbeat({ payload: { runner, leases: [] } })).drain)
    })
  )

  it.effect("of a season stops with the office of who made it, and so does one of the platform; both come back with it", () =>
    Effect.gen(function* () {
      const root = yield* keyed("offices")
      const { as, runner: under } = yield* Service.Service
      const deputy = yield* as("former")
      const here = yield* seasonOf("offices", root)
      const appointed = { params: here, payload: { username: "former" } }
      yield* root.admin.seasonAdmins.appointAdmin(appointed)
      const made = yield* deputy.seasonFleet.createSeasonKey({ params: here, payload: { name: "mine" } })
      const client = yield* under(made.key)
      const opened = client.runner.openSession({ payload: { ...about, accepts: ["match"] } })
      const { runner } = yield* opened
      const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
      const work = leases.find(isMatch)!
      const listed = root.admin.seasonFleet.seasonKeys({ params: here, query: {} as never })
      const permitted = Effect.map(listed, ({ keys }) => keys.map((key) => [key.name, key.permitted]))
      assert.deepStrictEqual(yield* permitted, [["mine", true]])
      const beat = (own: typeof client, runner: string) => own.runner.heartbeat({ payload: { runner, leases: [] } })

      const { payload } = appointed
      yield* root.admin.seasonAdmins.dismissAdmin({ params: here, payload, query: {} })
      assert.strictEqual(yield* code(report(client, work)), "unauthenticated")
      assert.strictEqual(yield* code(opened), "unauthenticated")
      assert.deepStrictEqual(yield* permitted, [["mine", false]])
      const rest = yield* under((yield* root.admin.seasonFleet.createSeasonKey({ params: here, payload: { name: "theirs" } })).key)
      const other = yield* rest.runner.openSession({ payload: { ...about, accepts: ["match"] } })
      const again = yield* untilSuccess(
        Effect.flatMap(rest.runner.lease({ payload: { runner: other.runner, max: 1, wait_s: 10 } }), ({ leases }) =>
          leases.length === 0 ? Effect.fail("none") : Effect.succeed(leases[0]!.lease)
        )
      )
      assert.strictEqual(again, work.lease.replace(/1$/, "2"), "what its runner held is played by another at once")
      yield* root.admin.seasonAdmins.appointAdmin(appointed)
      assert.isFalse((yield* beat(client, runner)).drain)

      const office = (admin: boolean) => root.admin.platform.editUser({ params: { username: "former" }, payload: { admin } })
      yield* office(true)
      const platform = yield* keyed("former", deputy)
      const ours = yield* platform.open(["match"])
      yield* office(false)
      assert.strictEqual(yield* code(beat(platform.client, ours)), "unauthenticated")
      assert.deepStrictEqual(yield* rows("SELECT state FROM runner WHERE id = $1::uuid", ours), [{ state: "gone" }])
      assert.isFalse((yield* beat(client, runner)).drain, "the season's key stays: its maker still administers that season")
      yield* office(true)
      assert.isFalse((yield* beat(platform.client, ours)).drain)
    })
  )

  const counts = { "has them flagged": true, "has none flagged where the season's own key admitted the models": false }
  for (const [what, counted] of Object.entries(counts))
    it.effect(`whose runners say too often that the engine failed ${what}`, () =>
      Effect.gen(function* () {
        const fleet = yield* keyed(`faults-${counted}`)
        // A match goes back to the key that could not play it after half a minute: five seasons
        // have enough others until then.
        for (const n of [1, 2, 3, 4, 5]) yield* seasonOf(`faults-${counted}-${n}`, fleet)
        if (!counted) {
          yield* retryRefused(
            fleet.admin.seasonFleet.createSeasonKey({ params: { game: "snakes", slug: "faults-false-1" }, payload: { name: "admits" } })
          )
          yield* rows("UPDATE version SET admit_key = (SELECT id FROM runner_key WHERE name = 'admits')")
        }
        const runner = yield* fleet.open(["match"])
        const fault = { kind: "match", fault_reason: "engine_fault", detail: "x" } as const
        let said = 0
        let drains = false
        while (!drains && said < (counted ? 40 : 10)) {
          const { drain, leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 1 } })
          drains = drain
          for (const { lease } of leases) {
            yield* fleet.client.runner.result({ params: { lease }, payload: fault })
            said++
          }
        }
        assert.strictEqual(said, 10)
        const [row] = yield* rows<{ flagged: boolean }>("SELECT flagged_at IS NOT NULL AS flagged FROM runner WHERE id = $1::uuid", runner)
        assert.strictEqual(row!.flagged, counted)
      })
    )
})
