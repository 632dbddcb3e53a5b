/** Sessions as several nodes on one database see them, behind a public origin of https, and however many are opened. */

import { Accounts } from "@agon/server/account/Accounts.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { Words } from "@agon/server/account/Words.ts"
import { PublicOrigin, publicOrigin } from "@agon/server/config/publicOrigin.ts"
import { type AllHandlers, MaxBody, makeRoutes } from "@agon/server/Http.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { Broadcast } from "@agon/server/node/Broadcast.ts"
import * as CachePurges from "@agon/server/node/CachePurges.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Postgres from "../support/Postgres.ts"
import { SignInService, layer as signInLayer } from "../support/SignInService.ts"
import { noLookups, seedAccounts, unlimited, unserved, Web } from "../support/Web.ts"

const handlers = Layer.merge(
  AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {})))),
  unserved("account")
) as Layer.Layer<AllHandlers, never, any>

/** One more node on the same database. */
const node = Effect.map(
  Layer.build(
    Layer.fresh(
      Web.layer(makeRoutes(handlers)).pipe(
        Layer.provide([MaxBody, HttpServer.layerServices, noLookups]),
        Layer.provideMerge(Accounts.layer),
        Layer.provide(Words.layer),
        Layer.provide([CachePurges.layer.pipe(Layer.provide(Broadcast.layer)), RateLimits.layer(unlimited)]),
        Layer.provide(Layer.succeed(PublicOrigin, publicOrigin("https://agon.example")))
      )
    )
  ),
  (context) => ({ call: Context.get(context, Web).call, accounts: Context.get(context, Accounts) })
)

const database = Layer.effectDiscard(seedAccounts).pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 8 })))

layer(database, { excludeTestServices: true })("sessions on two nodes", (it) => {
  it.effect("revoked on one are at an end on the other with the next request", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* node, yield* node]
      const me = there.call("/v1/me", { as: "ada" })
      assert.strictEqual((yield* me).status, 200, "this node has seen the session to be good")
      const { json } = yield* here.call("/v1/sessions", { as: "ada" })
      const fields = ["id", "created_at", "last_seen_at", "expires_at", "user_agent", "current"]
      assert.deepStrictEqual(Object.keys(json.sessions[0]), fields)
      const own = { method: "DELETE", as: "ada", headers: { origin: "https://agon.example" } }
      assert.strictEqual((yield* here.call(`/v1/sessions/${json.sessions[0].id}`, own)).status, 200)
      const refused = yield* me
      assert.deepStrictEqual([refused.status, refused.json.code], [401, "unauthenticated"])
      const cleared = "service_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"
      assert.strictEqual(refused.headers.get("set-cookie"), cleared)
    })
  )

  it.effect("lose what an administrator may do, and everything when the account is suspended, with the next request", () =>
    Effect.gen(function* () {
      const [one, sql] = [yield* node, yield* SqlClient.SqlClient]
      const keys = Effect.map(one.call("/v1/runner-keys", { as: "root" }), ({ json }) => json.code)
      const me = Effect.map(one.call("/v1/me", { as: "bob" }), ({ status }) => status)
      assert.strictEqual(yield* keys, "internal", "an administrator gets as far as a handler that is not here")
      yield* sql`UPDATE account SET admin = false WHERE username = 'root'`
      assert.strictEqual(yield* keys, "admin_only")
      assert.strictEqual(yield* me, 200)
      yield* sql`UPDATE account SET suspended = true WHERE username = 'bob'`
      assert.strictEqual(yield* me, 401)
    })
  )

  it.effect("are a hundred of one account at most; the oldest go, and so do those that have expired, whoever's they are", () =>
    Effect.gen(function* () {
      const [{ accounts }, sql] = [yield* node, yield* SqlClient.SqlClient]
      const [carol, dave] = yield* sql<{ id: string }>`INSERT INTO account (id, username, display_name, created_at)
        SELECT gen_random_uuid(), name, name, now() FROM unnest(ARRAY['carol', 'dave']) name RETURNING id`
      const open = accounts.openSession(carol!.id, "x".repeat(10_000))
      const tokens = yield* Effect.replicateEffect(open, 105)
      const live = yield* Effect.forEach(tokens, (token) => Effect.map(accounts.bySession(token), ({ _tag }) => _tag))
      assert.deepStrictEqual(live, [...Array(5).fill("None"), ...Array(100).fill("Some")])
      yield* sql`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
        SELECT gen_random_uuid(), ${dave!.id}, sha256(n::text::bytea), now(), now(), 'epoch' FROM generate_series(1, 25) n`
      const left = Effect.map(sql`SELECT 1 FROM session WHERE account_id = ${dave!.id}`, (rows) => rows.length)
      yield* accounts.sweepSessions
      assert.strictEqual(yield* left, 5)
      yield* accounts.openSession(dave!.id, undefined)
      assert.strictEqual(yield* left, 1)
    })
  )
})

layer(signInLayer("https://agon.example"), { excludeTestServices: true })("behind an origin of https", (it) => {
  /** The answer to a request of a browser that has these cookies and comes from there. */
  const ask = (url: string, cookies: ReadonlyArray<string> = [], site?: string) =>
    Effect.promise(() =>
      fetch(url, {
        redirect: "manual",
        headers: {
          ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
          ...(site === undefined ? {} : { "sec-fetch-site": site })
        }
      })
    )
  const cookieOf = (response: Response) => response.headers.getSetCookie()
  const pair = (line: string | undefined) => line!.split(";")[0]!

  it.effect("every cookie is Secure, and a sign-in that another origin's page begins links nothing", () =>
    Effect.gen(function* () {
      const { origin } = yield* SignInService
      const begin = `${origin}/v1/auth/hub`
      const begun = yield* ask(begin, [], "cross-site") // nobody is signed in: it may
      const [state] = cookieOf(begun)
      assert.match(state!, /^agon_sign_in=[\w.-]+; Max-Age=600; Path=\/v1\/auth; HttpOnly; Secure; SameSite=Lax$/)
      const authorized = yield* ask(begun.headers.get("location")!)
      const callback = authorized.headers.get("location")!
      assert.isTrue(callback.startsWith("https://agon.example/v1/auth/hub/callback?"))
      const end = yield* ask(callback.replace("https://agon.example", origin), [pair(state)])
      const session = cookieOf(end).find((line) => line.startsWith("service_session="))
      assert.match(session!, /^service_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      assert.include(cookieOf(end).join(), "agon_sign_in=; Max-Age=0; Path=/v1/auth; HttpOnly; Secure; SameSite=Lax")
      assert.strictEqual(end.headers.get("location"), "/")

      for (const [site, expected] of [
        ["cross-site", "/?sign_in_error=cross_origin"],
        ["same-site", "/?sign_in_error=cross_origin"],
        ["same-origin", /authorize/],
        ["none", /authorize/],
        [undefined, /authorize/]
      ] as const) {
        const location = (yield* ask(begin, [pair(session)], site)).headers.get("location")!
        assert.isTrue(typeof expected === "string" ? location === expected : expected.test(location), `${site}: ${location}`)
      }
    })
  )
})
