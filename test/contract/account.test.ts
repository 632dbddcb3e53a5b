import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const Served = webLayer({
  handlers: AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {})))),
  served: ["account"]
}).pipe(Layer.provide(noLookups))

/** One more session of an account, with the token `<name>-token`. */
const session = (account: string, name: string, expires_at = "2099-01-01") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string }>`
      INSERT INTO session (id, account_id, token_sha256, user_agent, created_at, last_seen_at, expires_at)
      SELECT gen_random_uuid(), id, sha256(convert_to(${`${name}-token`}, 'UTF8')), ${name}, now(), now(), ${expires_at}::timestamptz
      FROM account WHERE username = ${account} RETURNING id`
  ).pipe(Effect.map(([row]) => row!.id))

layer(Served)("an account", (it) => {
  it.effect("is read with its identities and the seasons it administers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO identity (provider, subject, account_id, login, created_at)
        SELECT 'hub', '7', id, 'Ada', now() FROM account WHERE username = 'ada'`
      const { headers, json } = yield* call("/v1/me", { as: "ada" })
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.deepStrictEqual(Object.keys(json), [
        "id",
        "username",
        "display_name",
        "bio",
        "admin",
        "season_admin",
        "identities",
        "created_at"
      ])
      assert.deepInclude(json, { username: "ada", bio: "", created_at: "2026-01-01T00:00:00.000Z", season_admin: [] })
      assert.deepStrictEqual(json.identities, [{ provider: "hub", login: "Ada" }])
    })
  )

  it.effect("takes a new name and bio, within bounds and without listed words, and nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO word (word, spelled, added_at) VALUES ('blod', 'Blöd', now())`
      const patch = (json: unknown) => call("/v1/me", { method: "PATCH", as: "ada", json })
      const changed = yield* patch({ display_name: "Ada L.", bio: "blodwyn plays", username: "root", admin: true })
      assert.deepInclude(changed.json, { display_name: "Ada L.", bio: "blodwyn plays", username: "ada", admin: false })
      const listed = yield* patch({ bio: "so BLOD!" })
      assert.deepStrictEqual([listed.status, listed.json.code], [422, "note_word_listed"])
      const lengths = [64, 65, 500, 501].map((n) => "🐍".repeat(n)) // as people count characters
      const answers = yield* Effect.forEach([0, 1, 2, 3], (i) => patch({ [i < 2 ? "display_name" : "bio"]: lengths[i] }))
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 400, 200, 400]
      )
      yield* patch({ bio: "blodwyn plays" })
      assert.strictEqual((yield* patch({})).json.bio, "blodwyn plays")
    })
  )
})

layer(Served)("sessions", (it) => {
  it.effect("are listed newest first, live ones of the account only, and say which one asks", () =>
    Effect.gen(function* () {
      yield* session("ada", "laptop")
      yield* session("ada", "expired", "1969-01-01")
      const { json } = yield* call("/v1/sessions", { as: "ada" })
      assert.deepStrictEqual(
        json.sessions.map((row: any) => [row.user_agent, row.current]),
        [
          ["laptop", false],
          [null, true]
        ]
      )
      assert.deepStrictEqual([json.total, json.next_cursor], [2, null])
      assert.deepStrictEqual((yield* call("/v1/sessions?cursor=9", { as: "ada" })).json, { sessions: [], total: 2, next_cursor: null })
      assert.strictEqual((yield* call("/v1/sessions?limit=1", { as: "ada" })).json.next_cursor, "1")
      assert.strictEqual((yield* call("/v1/me", { as: "expired" })).status, 401)
    })
  )

  it.effect("are revoked one at a time, by their account, and answer the row", () =>
    Effect.gen(function* () {
      const id = yield* session("ada", "phone")
      const revoke = (as: string, sid: string) => call(`/v1/sessions/${sid}`, { method: "DELETE", as })
      assert.strictEqual((yield* revoke("bob", id)).json.code, "not_found")
      assert.strictEqual((yield* revoke("ada", "no-uuid")).json.code, "not_found")
      assert.strictEqual((yield* revoke("ada", yield* session("ada", "ended", "1969-01-01"))).json.code, "not_found")
      assert.strictEqual((yield* call("/v1/me", { as: "phone" })).status, 200)
      const revoked = yield* revoke("ada", id)
      assert.deepInclude(revoked.json, { id, user_agent: "phone", current: false })
      assert.strictEqual((yield* call("/v1/me", { as: "phone" })).status, 401)
      assert.strictEqual((yield* revoke("ada", id)).status, 404)
      assert.strictEqual((yield* call("/v1/me", { as: "ada" })).status, 200)
    })
  )

  it.effect("end with DELETE /v1/session: 204, no body, the cookie cleared", () =>
    Effect.gen(function* () {
      const out = yield* call("/v1/session", { method: "DELETE", as: "bob" })
      assert.deepStrictEqual([out.status, out.text], [204, ""])
      assert.strictEqual(out.headers.get("set-cookie"), "service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax")
      const after = yield* call("/v1/me", { as: "bob" })
      assert.deepStrictEqual(
        [after.status, after.json.code, after.headers.get("set-cookie")?.slice(0, 17)],
        [401, "unauthenticated", "service_session=;"]
      )
    })
  )

  it.effect("remember when they were last seen, to the minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE session SET last_seen_at = 'epoch' WHERE account_id = (SELECT id FROM account WHERE username = 'root')`
      const seen = Effect.map(call("/v1/sessions", { as: "root" }), ({ json }) => json.sessions[0].last_seen_at)
      assert.strictEqual(yield* seen, "1970-01-01T00:00:00.000Z")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* seen, "1970-01-01T00:00:00.000Z")
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual(yield* seen, "1970-01-01T00:01:01.000Z")
    })
  )

  it.effect("open no door to a page of another origin, save between the names of loopback", () =>
    Effect.gen(function* () {
      const edit = (headers: Record<string, string>) =>
        Effect.map(call("/v1/me", { method: "PATCH", as: "ada", json: {}, headers }), ({ status }) => status)
      const cases = [
        [{}, 200],
        [{ "sec-fetch-site": "same-origin" }, 200],
        [{ "sec-fetch-site": "none" }, 200],
        [{ "sec-fetch-site": "same-site" }, 403],
        [{ "sec-fetch-site": "cross-site", origin: "http://localhost:8080" }, 403],
        [{ origin: "http://localhost:8080" }, 200],
        [{ origin: "http://127.0.0.1:8080" }, 200],
        [{ origin: "http://[::1]:8080" }, 200],
        [{ origin: "http://localhost:8081" }, 403],
        [{ origin: "https://localhost:8080" }, 403],
        [{ origin: "null" }, 403],
        [{ "sec-fetch-site": "" }, 200],
        [{ origin: "" }, 200],
        [{ "sec-fetch-site": "", origin: "http://localhost:8081" }, 403],
        [{ "sec-fetch-site": "cross-site", origin: "" }, 403],
        [{ "sec-fetch-site": ", " }, 403],
        [{ "sec-fetch-site": "", origin: "" }, 200]
      ] as const
      for (const [headers, expected] of cases) assert.strictEqual(yield* edit(headers), expected, JSON.stringify(headers))
      assert.strictEqual((yield* call("/v1/me", { as: "ada", headers: { "sec-fetch-site": "cross-site" } })).status, 200)
    })
  )
})
