/**
 * Versions and models as anyone and as their owners read them (docs/contract.md#versions
 * and docs/contract.md#models).
 */
import { setTimeout as delay } from "node:timers/promises"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { Users } from "@agon/server/admin/Users.ts"
import { Comments } from "@agon/server/comment/Comments.ts"
import { Moderation } from "@agon/server/comment/Moderation.ts"
import { type AllHandlers, MaxBody, makeRoutes } from "@agon/server/Http.ts"
import { Lookups } from "@agon/server/http/Lookups.ts"
import * as JoinedLookups from "@agon/server/JoinedLookups.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { ModelHandlers } from "@agon/server/model/http.ts"
import { Models } from "@agon/server/model/Models.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Forecasts } from "@agon/server/version/Forecasts.ts"
import { VersionHandlers } from "@agon/server/version/http.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { Announcements } from "@agon/server/writing/Announcements.ts"
import { Posts } from "@agon/server/writing/Posts.ts"
import { Stories } from "@agon/server/writing/Stories.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { call, core, unserved, Web } from "../support/Web.ts"

const { at, matchIds: x, modelIds: m, uuid, versionIds: v } = Fixture

/** Lookups ask the same database, so the layers of Web.ts are put together here. */
const services = Models.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Forecasts.layer, Versions.layer, Seasons.layer)),
  Layer.provide([Fixture.layer, Layer.mock(SeasonActors, { forecast: () => Effect.succeed([]) })])
)
const handlers = Layer.mergeAll(VersionHandlers, ModelHandlers, unserved("version", "model")).pipe(Layer.provide(services))
const web = Web.layer(makeRoutes(handlers as Layer.Layer<AllHandlers, never, Layer.Services<typeof handlers>>)).pipe(
  Layer.provide([MaxBody, HttpServer.layerServices]),
  Layer.provideMerge(
    JoinedLookups.layer.pipe(
      Layer.provide(services),
      Layer.provide([Layer.mock(Announcements, {}), Layer.mock(Posts, {}), Layer.mock(Stories, {}), Layer.mock(Webhooks, {})]),
      Layer.provide([
        Layer.mock(RunnerKeys, {}),
        Layer.mock(Matches, {}),
        Layer.mock(Comments, {}),
        Layer.mock(Moderation, {}),
        Layer.mock(Users, {})
      ])
    )
  ),
  Layer.provideMerge(core())
)

const alpha2 = {
  version_id: v.alpha2,
  model_id: m.alpha,
  model: "Alpha",
  owner: "ada",
  game: "snakes",
  season: "spring",
  version: 2,
  status: "entered",
  phase: null,
  admit_attempt: 1,
  successor: null,
  reject_reason: null,
  note: "deeper",
  baseline: false,
  weights_hash: `sha256:${"2".padStart(64, "a")}`,
  manifest_hash: `sha256:${"2".padStart(64, "b")}`,
  class: "nano",
  class_max_bytes: 1_048_576,
  class_memory_flat_bytes: 4_096,
  class_memory_cell_bytes: 64,
  size_bytes: 2_050,
  memory_bytes: 316,
  param_count: 5_000_000_002,
  infer_us: 700,
  runtime_version: "ort 1.30",
  trial: { matches: 4, played: 4, failed: 0, match_ids: [] },
  ratings: {
    nano: { rating: 1_550, deviation: 60, provisional: false, matches: 14, rank: 1 },
    open: { rating: 1_510, deviation: 60, provisional: false, matches: 14, rank: 2 }
  },
  created_at: at(-998),
  last_played_at: at(-83)
}

/** So long nobody can write a model: those who would then go all at once. */
const HELD_MS = 200

const create = (name: unknown, as = "bob", game = "snakes") => call(`/v1/games/${game}/models`, { method: "POST", as, json: { name } })

layer(web)("reads of versions and models", (it) => {
  it.effect("a version in contention says everything of itself", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* call(`/v1/versions/${v.alpha2}`)).json, alpha2)
    })
  )

  it.effect("ranks go by rating and then version id, and end with contention", () =>
    Effect.gen(function* () {
      const ranks = (id: string) =>
        Effect.map(call(`/v1/versions/${id}`), ({ json }) =>
          Object.fromEntries(Object.entries<any>(json.ratings).map(([k, r]) => [k, r.rank]))
        )
      assert.deepStrictEqual(yield* ranks(v.beta1), { nano: 2, open: 1 })
      assert.deepStrictEqual(yield* ranks(v.random), { nano: 3, open: 4 })
      assert.deepStrictEqual(yield* ranks(v.alpha1), { nano: null })
      const { json: old } = yield* call(`/v1/versions/${v.alpha1}`)
      assert.deepStrictEqual([old.status, old.successor, old.last_played_at], ["superseded", 2, null]) // its only match was withdrawn
      const { json: off } = yield* call(`/v1/versions/${v.greedy}`)
      assert.deepStrictEqual([off.status, off.baseline, off.owner, off.ratings.nano.rank], ["disabled", true, null, null])
    })
  )

  it.effect("candidates, rejected versions and those of private seasons are no public versions", () =>
    Effect.gen(function* () {
      for (const id of [v.delta1, v.beta2, v.gamma2, v.alphaSecret, v.secretBase, uuid("version", 999), "not-a-uuid"]) {
        const { json, status } = yield* call(`/v1/versions/${id}`, { as: "ada" })
        assert.strictEqual(`${status} ${json.code}`, "404 not_found", id)
      }
    })
  )

  it.effect("an owner reads each of theirs in any state, and nobody else's", () =>
    Effect.gen(function* () {
      const trial = (yield* call(`/v1/me/versions/${v.delta1}`, { as: "ada" })).json
      assert.deepStrictEqual([trial.status, trial.phase, trial.reject_detail], ["testing", "trial", null])
      assert.deepStrictEqual(trial.trial, { matches: 4, played: 1, failed: 0, match_ids: [x.openTrial, x.liveTrial] })
      assert.deepStrictEqual(trial.ratings, {})
      const rejected = (yield* call(`/v1/me/versions/${v.beta2}`, { as: "bob" })).json
      assert.deepStrictEqual(
        [rejected.status, rejected.reject_reason, rejected.reject_detail, rejected.class, rejected.class_max_bytes, rejected.trial],
        ["rejected", "external_data", "Put the weights into the file itself.", null, null, null]
      )
      const uploading = (yield* call(`/v1/me/versions/${v.gamma2}`, { as: "bob" })).json
      assert.deepStrictEqual(
        [uploading.phase, uploading.size_bytes, uploading.param_count, uploading.last_played_at, uploading.trial],
        ["upload", null, null, null, null]
      )
      assert.strictEqual((yield* call(`/v1/me/versions/${v.alphaSecret}`, { as: "ada" })).json.season, "secret")
      assert.strictEqual((yield* call(`/v1/me/versions/${v.delta1}`, { as: "bob" })).json.code, "not_found")
      assert.strictEqual((yield* call("/v1/me/versions/not-a-uuid", { as: "bob" })).json.code, "not_found")
    })
  )

  it.effect("candidates are the caller's versions in admission or trial", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/me/candidates", { as: "bob" })
      assert.deepStrictEqual([json.total, json.next_cursor, json.candidates.map((row: any) => row.version_id)], [1, null, [v.gamma2]])
      assert.deepStrictEqual((yield* call("/v1/me/candidates", { as: "root" })).json, { candidates: [], total: 0, next_cursor: null })
      assert.deepStrictEqual((yield* call("/v1/me/candidates?cursor=5", { as: "bob" })).json.candidates, [])
    })
  )

  it.effect("a model shows its public versions, newest first", () =>
    Effect.gen(function* () {
      const { json } = yield* call(`/v1/models/${m.alpha}`)
      const { versions, ...model } = json
      assert.deepStrictEqual(model, { id: m.alpha, game: "snakes", name: "Alpha", owner: "ada", retired: false, created_at: at(-1_999) })
      assert.deepStrictEqual(
        versions.map((row: any) => row.version_id),
        [v.alphaWinter, v.alpha2, v.alpha1] // not the third, which is private
      )
      assert.deepStrictEqual(versions[1], alpha2)
      assert.deepStrictEqual((yield* call(`/v1/models/${m.delta}`)).json.versions, [])
      assert.deepStrictEqual((yield* call(`/v1/models/${m.hidden}`)).json.versions, [])
      const baseline = (yield* call(`/v1/models/${m.random}`)).json
      assert.deepStrictEqual([baseline.owner, baseline.versions.length], [null, 1])
      assert.isNull(baseline.versions[0].trial, "a baseline plays no trial")
    })
  )

  it.effect("an unknown model is null, and so is the baseline of a private season", () =>
    Effect.gen(function* () {
      for (const id of [uuid("model", 999), "not-a-uuid", m.secretBase]) {
        const { status, text } = yield* call(`/v1/models/${id}`, { as: "ada" })
        assert.deepStrictEqual([status, text], [200, "null"], id)
      }
    })
  )

  it.effect("a model is made under a name of one's own, and at once no longer unknown", () =>
    Effect.gen(function* () {
      const { json, status } = yield* create("Omega")
      assert.strictEqual(status, 201)
      const { id, ...rest } = json
      assert.deepStrictEqual(rest, { game: "snakes", name: "Omega", owner: "bob", retired: false, created_at: at(0) })
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.deepStrictEqual((yield* call(`/v1/models/${id}`)).json, { ...json, versions: [] })
      const list = (yield* call("/v1/models?game=snakes&limit=2", { as: "bob" })).json
      assert.deepStrictEqual([list.total, list.next_cursor, list.models.map(({ name }: any) => name)], [3, "2", ["Omega", "Gamma"]])
      assert.strictEqual((yield* create("Omega", "ada")).status, 201) // taken by another is not taken
      assert.deepStrictEqual((yield* call("/v1/models?game=othello", { as: "bob" })).json.total, 0)
      assert.strictEqual((yield* call("/v1/models?game=go", { as: "bob" })).json.code, "unknown_game")
    })
  )

  it.effect("a model is refused without a name, with a bad or a taken one, past the cap, and in no game", () =>
    Effect.gen(function* () {
      const refused = (answer: ReturnType<typeof create>) => Effect.map(answer, ({ json, status }) => `${status} ${json.code}`)
      assert.strictEqual(yield* refused(create(undefined)), "400 missing_name")
      assert.strictEqual(yield* refused(create("")), "400 invalid_request")
      assert.strictEqual(yield* refused(create("x".repeat(65))), "400 invalid_request")
      assert.strictEqual(yield* refused(create("🐍".repeat(65))), "400 invalid_request")
      assert.strictEqual(yield* refused(create("a\0b")), "400 invalid_request")
      assert.strictEqual(yield* refused(create("Beta")), "409 model_name_taken")
      for (const name of ["Name", undefined]) assert.strictEqual(yield* refused(create(name, "bob", "go")), "404 unknown_game")
      assert.strictEqual((yield* create("🐍".repeat(64))).status, 201) // the fourth; an emoji is one character
      const sql = yield* SqlClient.SqlClient
      const held = sql.withTransaction(
        Effect.andThen(
          sql`LOCK TABLE model IN SHARE MODE`,
          Effect.promise(() => delay(HELD_MS))
        )
      )
      const hurried = Effect.all([create("Two"), create("Three"), create("Four")], { concurrency: 3 })
      const [, rest] = yield* Effect.all([held, hurried], { concurrency: 2 })
      assert.deepStrictEqual(rest.map(({ status }) => status).sort(), [201, 409, 409]) // one place was left, however hurried
      assert.strictEqual(yield* refused(create("Five")), "409 model_cap_reached")
      assert.strictEqual((yield* create("Five", "bob", "othello")).status, 201) // no season there: the cap is five of its own
    })
  )

  it.effect("a season is administered by its administrators and the platform's; who may not see it finds none", () =>
    Effect.gen(function* () {
      const lookups = yield* Lookups
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* sql<{ id: string; username: string; admin: boolean }>`SELECT id, username, admin FROM account`
      const as = (name: string) => ({ ...accounts.find(({ username }) => username === name)!, session_id: "" })
      const look = (name: string, slug: string, game = "snakes") =>
        lookups.seasonForAdmin(as(name), game, slug).pipe(
          Effect.map(({ administers }) => administers),
          Effect.catch(({ code }) => Effect.succeed(code))
        )
      assert.strictEqual(yield* look("root", "secret"), true)
      assert.strictEqual(yield* look("ada", "secret"), false) // on the roster, by an identity of other letter case
      assert.strictEqual(yield* look("bob", "secret"), "unknown_season")
      assert.strictEqual(yield* look("bob", "spring"), false)
      assert.strictEqual(yield* look("bob", "spring", "go"), "unknown_game")
      yield* sql`INSERT INTO season_admin SELECT s.id, ${as("bob").id}, now() FROM season s WHERE slug = 'secret'`
      assert.strictEqual(yield* look("bob", "secret"), true)
    })
  )
})
