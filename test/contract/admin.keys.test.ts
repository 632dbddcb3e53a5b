/** A season's own runner keys and runners, and who can process its queue (docs/contract.md#fleets-and-runner-keys). */

import { FleetAdmin } from "@agon/server/runner/fleet/FleetAdmin.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import {
  layer as administration,
  baseline,
  leaseMatch,
  log,
  options,
  patch,
  post,
  read,
  refusal,
  remove,
  rows,
  season
} from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { runnerSession } from "../support/Fleet.ts"
import { call } from "../support/Web.ts"

const session = { ...runnerSession, slots: 2 }
const runner = (key: string, path: string, json: unknown) =>
  call(`/v1/runner${path}`, { method: "POST", json, headers: { authorization: `Bearer ${key}` } })
const open = (key: string, change: object = {}) =>
  Effect.map(runner(key, "/sessions", { ...session, ...change }), ({ json }) => json.runner)

layer(administration, options)("a season's runner keys", (it) => {
  it.effect("are made with a secret that is shown once, listed with their runners, and serve that season alone", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring", { admins: ["ada"] })
      const other = yield* season("other")
      const made = yield* post(url("/runner-keys"), { name: "rack" }, "ada")
      assert.strictEqual(made.status, 201, made.text)
      const { key, ...shown } = made.json
      assert.match(key, /^agon_rk_[\w-]{43}$/)
      assert.deepInclude(shown, { name: "rack", prefix: key.slice(0, 12), created_by: "ada", revoked_at: null, runners: [] })
      const id_of_runner = yield* open(key)
      const { json } = yield* read(url("/runner-keys"), "ada")
      assert.deepStrictEqual(Object.keys(json), ["admissions", "fleet", "fill", "keys", "total", "next_cursor"])
      assert.deepStrictEqual([json.total, json.keys[0].runners[0].id], [1, id_of_runner])
      assert.notInclude(JSON.stringify(json), key)
      assert.deepStrictEqual((yield* read(other.url("/runner-keys"))).json.keys, [])
      assert.deepStrictEqual((yield* read("/v1/runner-keys")).json.keys, [])
      const { prefix } = shown
      assert.deepStrictEqual(yield* log(id), [["ada", "runner-key.create", "rack", { id: shown.id, prefix }]])
      assert.notInclude(JSON.stringify(yield* rows`SELECT * FROM audit`), key)
      assert.deepStrictEqual(refusal(yield* post(url("/runner-keys"), { name: "" })), [400, "invalid_request"])
    })
  )

  it.effect("show all runners of each, however many the others on the page have", () =>
    Effect.gen(function* () {
      const { url } = yield* season("crowded")
      const key = Effect.map(post(url("/runner-keys"), { name: "rack" }), ({ json }) => json)
      const quiet = yield* key
      const runner = yield* open(quiet.key)
      for (const full of [yield* key, yield* key]) {
        const first = yield* open(full.key)
        yield* rows`INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, isolation, state, created_at, last_seen_at)
          SELECT gen_random_uuid(), key_id, name, runtime_version, engines, accepts, slots, isolation, state, now(), now()
          FROM runner, generate_series(1, 127) WHERE id = ${first}`
      }
      const { keys } = (yield* read(url("/runner-keys"))).json
      assert.deepStrictEqual(
        keys.map(({ runners }: { readonly runners: ReadonlyArray<unknown> }) => runners.length).toSorted(),
        [1, 128, 128]
      )
      assert.strictEqual(keys.find(({ id }: { readonly id: string }) => id === quiet.id).runners[0].id, runner)
    })
  )

  it.effect("are revoked once: the secret is worth nothing then, and its leases go back to the queue at once", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer")
      const other = yield* season("autumn")
      const made = (yield* post(url("/runner-keys"), { name: "rack" })).json
      const held = yield* open(made.key)
      yield* leaseMatch(id, { runner: held, key: made.id })
      const leased = Effect.map(rows<any>`SELECT count(*)::int AS n FROM live WHERE until IS NOT NULL`, ([row]) => row.n)
      assert.strictEqual(yield* leased, 1)
      assert.deepStrictEqual(refusal(yield* remove(other.url(`/runner-keys/${made.id}`))), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* remove(url("/runner-keys/no-uuid"))), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* remove(url(`/runner-keys/${Fixture.uuid("key", 77)}`))), [404, "not_found"])
      const revoked = yield* remove(url(`/runner-keys/${made.id}`))
      assert.strictEqual(revoked.status, 200, revoked.text)
      assert.isNotNull(revoked.json.revoked_at)
      assert.strictEqual(yield* leased, 0)
      assert.deepStrictEqual(refusal(yield* runner(made.key, "/sessions", session)), [401, "unauthenticated"])
      assert.deepStrictEqual((yield* remove(url(`/runner-keys/${made.id}`))).json, revoked.json)
      assert.deepStrictEqual(
        (yield* log(id)).map(([actor, action, subject]) => [actor, action, subject]),
        [
          ["root", "runner-key.revoke", "rack"],
          ["root", "runner-key.create", "rack"]
        ]
      )
    })
  )

  it.effect("have runners that are stopped one by one, and get no new work from then on", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("winter")
      const other = yield* season("thaw")
      const { key } = (yield* post(url("/runner-keys"), { name: "rack" })).json
      const [first, second] = [yield* open(key), yield* open(key)]
      const stopped = yield* remove(url(`/runners/${first}`))
      assert.deepStrictEqual([stopped.status, stopped.json.id, stopped.json.state], [200, first, "draining"])
      const asked = { max: 1, wait_s: 0 }
      assert.strictEqual((yield* runner(key, "/leases", { runner: first, ...asked })).json.drain, true)
      assert.strictEqual((yield* runner(key, "/leases", { runner: second, ...asked })).json.drain, false)
      assert.deepStrictEqual(refusal(yield* remove(other.url(`/runners/${second}`))), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* remove(url("/runners/no-uuid"))), [404, "not_found"])
      const platform = (yield* post("/v1/runner-keys", { name: "ours" })).json
      assert.deepStrictEqual(refusal(yield* remove(url(`/runners/${yield* open(platform.key)}`))), [404, "not_found"])
      assert.strictEqual((yield* remove(url(`/runners/${first}`))).json.state, "draining")
      assert.deepStrictEqual((yield* log(id)).slice(0, -1), [["root", "runner.stop", "rack", { id: first }]])
    })
  )
})

layer(administration, options)("the platform's runner keys", (it) => {
  it.effect("are logged as those of a season are: made, revoked once, each runner stopped once, and nowhere the secret", () =>
    Effect.gen(function* () {
      const made = (yield* post("/v1/runner-keys", { name: "ours" })).json
      const id = yield* open(made.key)
      yield* remove(`/v1/runners/${id}`)
      yield* remove(`/v1/runners/${id}`)
      yield* remove(`/v1/runner-keys/${made.id}`)
      yield* remove(`/v1/runner-keys/${made.id}`)
      assert.deepStrictEqual(refusal(yield* remove(`/v1/runners/${id}`)), [404, "not_found"]) // it is gone with its key
      for (const path of ["/v1/runner-keys/no-uuid", `/v1/runner-keys/${Fixture.uuid("key", 77)}`, "/v1/runners/no-uuid"]) {
        assert.deepStrictEqual(refusal(yield* remove(path)), [404, "not_found"], path)
      }
      const logged = yield* rows<any>`SELECT a.username, l.action, l.subject, l.detail, l.game, l.season_id FROM audit l
        JOIN account a ON a.id = l.actor ORDER BY l.id`
      const place = { username: "root", game: null, season_id: null }
      assert.deepStrictEqual(logged, [
        { action: "runner-key.create", subject: "ours", detail: { id: made.id, prefix: made.prefix }, ...place },
        { action: "runner.stop", subject: "rack", detail: { id }, ...place },
        { action: "runner-key.revoke", subject: "ours", detail: { id: made.id }, ...place }
      ])
      assert.notInclude(JSON.stringify(logged), made.key)
    })
  )

  it.effect("and their runners are counted also past the last page", () =>
    Effect.gen(function* () {
      const { key } = (yield* post("/v1/runner-keys", { name: "another" })).json
      yield* open(key)
      const { url } = yield* season("counted")
      yield* post(url("/runner-keys"), { name: "own" })
      for (const [path, name] of [
        ["/v1/runner-keys", "keys"],
        ["/v1/runners", "runners"],
        [url("/runner-keys"), "keys"]
      ] as const) {
        const { total } = (yield* read(path)).json
        assert.isAbove(total, 0, path)
        const { next_cursor, ...past } = (yield* read(`${path}?cursor=1000`)).json
        assert.deepInclude(past, { [name]: [], total }, path)
        assert.isNull(next_cursor)
      }
    })
  )
})

layer(administration, options)("a key that is being revoked", (it) => {
  it.effect("gives its leases back also where the caller goes away in the middle", () =>
    Effect.gen(function* () {
      const { id } = (yield* post("/v1/runner-keys", { name: "left" })).json
      const [root] = yield* rows<{ readonly id: string; readonly username: string; readonly admin: boolean }>`
        SELECT id, username, admin FROM account WHERE username = 'root'`
      const keys = yield* RunnerKeys
      const begun = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const returned = yield* Deferred.make<void>()
      const slow = RunnerKeys.of({
        ...keys,
        returnLeases: () =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Deferred.await(gone)),
            Effect.andThen(Deferred.succeed(returned, undefined))
          )
      })
      const admin = yield* Effect.provide(FleetAdmin, Layer.fresh(FleetAdmin.layer).pipe(Layer.provide(Layer.succeed(RunnerKeys, slow))))
      const caller = yield* Effect.forkChild(admin.revoke({ ...root!, session_id: id }, null, id))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(caller)
      yield* Deferred.succeed(gone, undefined)
      yield* Effect.timeout(Deferred.await(returned), "5 seconds")
    })
  )
})

layer(administration, options)("a key whose revocation is being committed", (it) => {
  it.effect("gives its leases back where the caller goes away just then", () =>
    Effect.gen(function* () {
      const { id } = (yield* post("/v1/runner-keys", { name: "committed" })).json
      yield* rows`CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END'`
      yield* rows`CREATE CONSTRAINT TRIGGER slow_commit AFTER UPDATE ON runner_key DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow_commit()`
      const [root] = yield* rows<{ readonly id: string; readonly username: string; readonly admin: boolean }>`
        SELECT id, username, admin FROM account WHERE username = 'root'`
      const keys = yield* RunnerKeys
      const returned = yield* Deferred.make<string>()
      const told = RunnerKeys.of({ ...keys, returnLeases: (key) => Effect.asVoid(Deferred.succeed(returned, key)) })
      const admin = yield* Effect.provide(FleetAdmin, Layer.fresh(FleetAdmin.layer).pipe(Layer.provide(Layer.succeed(RunnerKeys, told))))
      const caller = yield* Effect.forkChild(admin.revoke({ ...root!, session_id: id }, null, id))
      yield* eventually(
        "the commit",
        Effect.map(rows`SELECT FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`, ({ length }) => length > 0)
      )
      yield* Fiber.interrupt(caller)
      assert.strictEqual(yield* Effect.timeout(Deferred.await(returned), "5 seconds"), id)
    })
  )
})

layer(administration, options)("the settings of a season's fleet", (it) => {
  it.effect("are told to its administrators beside its keys, as they were set last", () =>
    Effect.gen(function* () {
      const { url } = yield* season("spring")
      const settings = Effect.map(read(url("/runner-keys")), ({ json: { fill, fleet } }) => ({ fill, fleet }))
      const first = { fleet: { matches: "both", admissions: "both" }, fill: { enabled: false, max_per_hour: null } }
      assert.deepStrictEqual(yield* settings, first)
      yield* patch(url("/fleet"), { matches: "own" })
      yield* patch(url("/fill"), { enabled: true, max_per_hour: 7 })
      assert.deepStrictEqual(yield* settings, { fleet: { matches: "own", admissions: "both" }, fill: { enabled: true, max_per_hour: 7 } })
    })
  )
})

layer(administration, options)("the admissions of a season", (it) => {
  it.effect("count what waits, the runners that may take it, and say of which fleets those are", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring")
      const admissions = Effect.map(read(url("/runner-keys")), ({ json }) => json.admissions)
      assert.deepStrictEqual(yield* admissions, { queued: 0, admitters: 0, reach: "none" })
      yield* baseline(id, 5, "waiting", false)
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 0, reach: "none" })
      const own = (yield* post(url("/runner-keys"), { name: "own" })).json
      const foreign = (yield* post((yield* season("foreign")).url("/runner-keys"), { name: "foreign" })).json
      const platform = (yield* post("/v1/runner-keys", { name: "platform" })).json
      yield* open(foreign.key)
      yield* open(own.key, { accepts: ["match"] })
      yield* open(own.key, { engines: [{ game: "snakes", engine_digest: "sha256:another" }] })
      yield* open(own.key, { engines: [{ game: "othello", engine_digest: Fixture.engineDigest }] })
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 0, reach: "none" })
      yield* open(platform.key)
      yield* open(platform.key)
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 2, reach: "platform" })
      const mine = yield* open(own.key)
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 3, reach: "both" })
      yield* patch(url("/fleet"), { admissions: "own" })
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 1, reach: "own" })
      yield* rows`UPDATE runner SET last_seen_at = now() - interval '2 minutes' WHERE id = ${mine}`
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 0, reach: "none" })
      yield* patch(url("/fleet"), { admissions: "platform" })
      yield* remove(`/v1/runner-keys/${platform.id}`)
      yield* rows`UPDATE runner SET state = 'active' WHERE key_id = ${platform.id}` // heard of as its key was revoked
      assert.deepStrictEqual(yield* admissions, { queued: 1, admitters: 0, reach: "none" })
    })
  )
})
