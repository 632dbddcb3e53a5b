/** Signing a device in (docs/contract.md#signing-in-a-device): over HTTP on a real database, on the test's clock. */

import { DeviceSignIns } from "@agon/server/account/device/DeviceSignIns.ts"
import { DeviceHandlers } from "@agon/server/account/device/deviceHttp.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { parseProviders } from "@agon/server/config/signInProviders.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Call, call, noLookups, layer as webLayer } from "../support/Web.ts"

const account = AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {}))))
const Served = webLayer({
  handlers: Layer.merge(account, DeviceHandlers.pipe(Layer.provide(DeviceSignIns.layer))),
  served: ["account", "device"]
}).pipe(Layer.provide(noLookups))

const post = (path: string, json: unknown, more: Call = {}) => call(`/v1/auth/device${path}`, { method: "POST", json, ...more })
const begin = (client_name = "agon on a laptop") => Effect.map(post("", { client_name }), ({ json }) => json)
const ask = (device_code: string) => post("/token", { device_code })
const decide = (as: string, user_code: string, approve: boolean) => post("/approve", { user_code, approve }, { as })
const named = (as: string, user_code: string) => call(`/v1/auth/device?user_code=${encodeURIComponent(user_code)}`, { as })
/** The outcome of an ask: a status, and the code of a refusal. */
const said = ({ json, status }: { readonly status: number; readonly json: any }) =>
  status < 400 ? String(status) : `${status} ${json.code}`
const sessionOf = (headers: Headers) =>
  /^service_session=([\w-]{43}); Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/.exec(headers.get("set-cookie") ?? "")?.[1]
const withToken = (token: string, more: Call = {}): Call => ({ ...more, headers: { ...more.headers, cookie: `service_session=${token}` } })

layer(Served)("a device", (it) => {
  it.effect("gets a session of the person who approves its code, once, and it is listed and revoked as any other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { device_code, user_code, ...rest } = yield* begin()
      assert.deepStrictEqual(rest, { verification_uri: "http://localhost:8080/device", expires_in: 600, interval: 5 })
      assert.match(device_code, /^[\w-]{43}$/)
      assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.strictEqual(said(yield* ask(device_code)), "400 authorization_pending")
      assert.deepInclude((yield* named("ada", user_code)).json, { client_name: "agon on a laptop", state: "pending" })
      const typed = ` ${user_code.toLowerCase().replace("-", "")} `
      assert.deepInclude((yield* decide("ada", typed, true)).json, { client_name: "agon on a laptop", state: "approved" })
      assert.strictEqual(said(yield* decide("ada", user_code, true)), "200", "twice is the same")
      yield* TestClock.adjust("5 seconds")
      yield* sql`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
        SELECT gen_random_uuid(), id, '', 'epoch', 'epoch', 'epoch' FROM account WHERE username = 'bob'`
      const done = yield* ask(device_code)
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM session WHERE expires_at = 'epoch'`, [], "as with any sign-in, ended ones go")
      assert.deepInclude(done.json, { username: "ada" })
      assert.notInclude(done.text, sessionOf(done.headers)!, "no bearer token in the body")
      const own = withToken(sessionOf(done.headers)!)
      assert.strictEqual((yield* call("/v1/me", own)).json.username, "ada")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(said(yield* ask(device_code)), "400 expired_token")
      assert.strictEqual(said(yield* named("ada", user_code)), "404 not_found")
      const { sessions } = (yield* call("/v1/sessions", { as: "ada" })).json
      const session = sessions.find(({ user_agent }: { user_agent: string }) => user_agent === "agon on a laptop")
      assert.strictEqual((yield* call(`/v1/sessions/${session.id}`, { method: "DELETE", as: "ada" })).status, 200)
      assert.strictEqual((yield* call("/v1/me", own)).status, 401)
    })
  )

  it.effect("is refused, and stays refused, also where the person had approved before", () =>
    Effect.gen(function* () {
      const first = yield* begin()
      yield* decide("ada", first.user_code, false)
      assert.strictEqual(said(yield* decide("ada", first.user_code, false)), "200")
      assert.strictEqual(said(yield* decide("ada", first.user_code, true)), "404 not_found")
      assert.strictEqual(said(yield* ask(first.device_code)), "400 access_denied")
      const second = yield* begin()
      yield* decide("ada", second.user_code, true)
      assert.strictEqual((yield* decide("ada", second.user_code, false)).json.state, "denied")
      assert.strictEqual(said(yield* ask(second.device_code)), "400 access_denied")
    })
  )

  it.effect("gets nothing by the approval of a session that has ended, until a session of the same person approves again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sessionFor = Effect.gen(function* () {
        const { device_code, user_code } = yield* begin()
        yield* decide("ada", user_code, true)
        return withToken(sessionOf((yield* ask(device_code)).headers)!)
      })
      const approvedBy = Effect.fnUntraced(function* (own: Call) {
        const { device_code, user_code } = yield* begin()
        assert.strictEqual((yield* post("/approve", { user_code, approve: true }, own)).json.state, "approved")
        return { device_code, user_code }
      })
      const revoked = yield* sessionFor
      const first = yield* approvedBy(revoked)
      const { sessions } = (yield* call("/v1/sessions", revoked)).json
      const { id } = sessions.find(({ current }: { current: boolean }) => current)
      assert.strictEqual((yield* call(`/v1/sessions/${id}`, { method: "DELETE", as: "ada" })).status, 200)
      assert.strictEqual((yield* named("ada", first.user_code)).json.state, "denied")
      const refused = yield* ask(first.device_code)
      assert.deepStrictEqual([said(refused), refused.headers.get("set-cookie")], ["400 access_denied", null])
      assert.strictEqual((yield* decide("ada", first.user_code, true)).json.state, "approved")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(said(yield* ask(first.device_code)), "200")

      const expired = yield* sessionFor
      const second = yield* approvedBy(expired)
      yield* sql`UPDATE session SET expires_at = ${new Date(0)} WHERE id = (SELECT session_id FROM device_sign_in WHERE approved)`
      assert.strictEqual((yield* named("ada", second.user_code)).json.state, "denied")
      assert.strictEqual(said(yield* ask(second.device_code)), "400 access_denied")
      const signedOut = yield* sessionFor
      const third = yield* approvedBy(signedOut)
      assert.isBelow((yield* call("/v1/session", { method: "DELETE", ...signedOut })).status, 300)
      assert.strictEqual(said(yield* ask(third.device_code)), "400 access_denied")
    })
  )

  it.effect("belongs to whoever decided first, and gets nothing of an account that is suspended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { device_code, user_code } = yield* begin()
      yield* decide("bob", user_code, true)
      assert.strictEqual(said(yield* decide("root", user_code, false)), "404 not_found")
      assert.strictEqual(said(yield* named("root", user_code)), "404 not_found")
      yield* sql`UPDATE account SET suspended = true WHERE username = 'bob'`
      const refused = yield* ask(device_code)
      yield* sql`UPDATE account SET suspended = false WHERE username = 'bob'`
      assert.strictEqual(said(refused), "400 access_denied")
      assert.isNull(refused.headers.get("set-cookie"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(said(yield* ask(device_code)), "400 expired_token")
    })
  )

  it.effect("that asks too soon has to wait longer each time, approved or not", () =>
    Effect.gen(function* () {
      const { device_code, user_code } = yield* begin()
      assert.strictEqual(said(yield* ask(device_code)), "400 authorization_pending")
      yield* TestClock.adjust("4 seconds") // a second less than the interval is nobody's fault
      assert.strictEqual(said(yield* ask(device_code)), "400 authorization_pending")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(said(yield* ask(device_code)), "400 slow_down")
      yield* decide("ada", user_code, true)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(said(yield* ask(device_code)), "400 slow_down")
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(said(yield* ask(device_code)), "200")
    })
  )

  it.effect("has ten minutes", () =>
    Effect.gen(function* () {
      const { device_code, user_code } = yield* begin()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(said(yield* ask(device_code)), "400 authorization_pending")
      assert.strictEqual(said(yield* decide("ada", user_code, true)), "200")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(said(yield* ask(device_code)), "400 expired_token")
      assert.strictEqual(said(yield* named("ada", user_code)), "404 not_found")
      assert.strictEqual(said(yield* decide("ada", user_code, true)), "404 not_found")
      const [kept, sql] = [yield* begin(), yield* SqlClient.SqlClient]
      assert.deepStrictEqual(
        yield* sql`SELECT 1 FROM device_sign_in WHERE device_code_sha256 <> sha256(convert_to(${kept.device_code}, 'UTF8'))`,
        [],
        "the next one to begin deletes those that are over"
      )
    })
  )
})

layer(Served)("strangers", (it) => {
  it.effect("find no code in the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { device_code, user_code } = yield* begin()
      const [row] =
        yield* sql`SELECT encode(device_code_sha256, 'hex') AS a, encode(user_code_sha256, 'hex') AS b, d::text AS all FROM device_sign_in d`
      assert.match(`${row!["a"]} ${row!["b"]}`, /^[0-9a-f]{64} [0-9a-f]{64}$/)
      for (const code of [device_code, user_code, user_code.replace("-", "")]) assert.notInclude(String(row!["all"]), code)
    })
  )

  it.effect("may try five wrong codes in any minute, by reading and deciding together, and then not even a right one", () =>
    Effect.gen(function* () {
      const { user_code } = yield* begin()
      const tries = [
        named("ada", "BCDF-GHJK"),
        decide("ada", "x", true),
        named("ada", "\u{1f40d}"),
        decide("ada", user_code.slice(1), false)
      ]
      for (const one of tries) assert.strictEqual(said(yield* one), "404 not_found")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(said(yield* named("ada", user_code)), "200", "a right code takes nothing")
      assert.strictEqual(said(yield* named("ada", "BCDF-GHJK")), "404 not_found")
      const refused = yield* decide("ada", user_code, true)
      assert.deepStrictEqual([said(refused), refused.json.retry_after_ms], ["429 rate_limited", 30_000])
      assert.strictEqual(refused.headers.get("retry-after"), "30")
      assert.strictEqual(said(yield* named("bob", user_code)), "200", "others are not kept out")
      yield* TestClock.adjust("31 seconds")
      const again = Effect.replicateEffect(named("ada", "BCDF-GHJK"), 8, { concurrency: "unbounded" })
      const answers = (yield* again).map(said).sort()
      assert.deepStrictEqual(answers, [...Array(4).fill("404 not_found"), ...Array(4).fill("429 rate_limited")])
    })
  )

  it.effect("fill the table of one address, and of all, and no further", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM device_sign_in`
      const answers = (yield* Effect.replicateEffect(post("", { client_name: "x" }), 52)).map(said)
      assert.deepStrictEqual(answers, [...Array(50).fill("200"), "429 rate_limited", "429 rate_limited"])
      const refused = yield* post("", { client_name: "x" })
      assert.strictEqual(refused.json.retry_after_ms, 600_000)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(said(yield* post("", { client_name: "x" })), "200", "those that are over take no room")
      yield* sql`DELETE FROM device_sign_in`
      yield* sql`INSERT INTO device_sign_in (device_code_sha256, user_code_sha256, address_sha256, client_name, created_at, expires_at, interval_s)
        SELECT sha256(n::text::bytea), sha256(n::text::bytea), sha256(n::text::bytea), 'x', 'epoch', '2099-01-01', 5 FROM generate_series(1, 9999) n`
      const last = yield* begin()
      assert.strictEqual(said(yield* post("", { client_name: "x" })), "503 unavailable")
      assert.strictEqual(said(yield* decide("root", last.user_code, true)), "200", "who is in goes on")
      yield* sql`DELETE FROM device_sign_in`
    })
  )

  it.effect("of another origin's page begin and fetch nothing, and approve nothing", () =>
    Effect.gen(function* () {
      const { device_code, user_code } = yield* begin()
      const foreign = { headers: { "sec-fetch-site": "cross-site" } }
      const refused = [
        yield* post("", { client_name: "x" }, { ...foreign, as: "ada" }),
        yield* post("/approve", { user_code, approve: true }, { ...foreign, as: "ada" }),
        yield* post("/token", { device_code }, { ...foreign, as: "ada" }),
        yield* post("/token", { device_code }, foreign),
        yield* post("/token", { device_code }, { headers: { origin: "https://evil.example" } })
      ]
      for (const answer of refused) assert.strictEqual(said(answer), "403 cross_origin")
    })
  )

  it.effect("are refused bad bodies as everywhere", () =>
    Effect.gen(function* () {
      const bad = [
        ...[{}, { client_name: "" }, { client_name: " \u200b" }, { client_name: "x".repeat(65) }, { client_name: 7 }].map((json) =>
          post("", json)
        ),
        ...[{}, { device_code: "" }, { device_code: "x".repeat(101) }, { device_code: "a\0b" }].map((json) => post("/token", json)),
        ...[{ user_code: "" }, { user_code: "BCDF-GHJK" }, { user_code: "BCDF-GHJK", approve: "yes" }].map((json) =>
          post("/approve", json, { as: "ada" })
        ),
        call("/v1/auth/device", { as: "ada" })
      ]
      for (const one of bad) assert.strictEqual(said(yield* one), "400 invalid_request")
      assert.strictEqual(said(yield* ask("x")), "400 expired_token")
      assert.strictEqual(said(yield* post("/approve", { user_code: "BCDF-GHJK", approve: true })), "401 unauthenticated")
    })
  )
})

describe("a provider", () => {
  layer(Layer.empty)((it) => {
    it.effect("cannot have the name of this sign-in", () =>
      Effect.sync(() => {
        const entry = {
          slug: "device",
          label: "x",
          kind: "oidc",
          issuer: "https://x.example",
          client_id: "x",
          client_secret: "x",
          scopes: [],
          login_claim: "x"
        }
        assert.strictEqual(parseProviders(JSON.stringify([entry])), "entry 1 has the slug of signing devices in")
      })
    )
  })
})
