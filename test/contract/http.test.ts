import { Api } from "@agon/api/Api.ts"
import { OwnVersion } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import type { Leaderboard } from "@agon/api/leaderboard/api.ts"
import { nextCursor } from "@agon/api/Page.ts"
import { NotFound, Unavailable } from "@agon/api/Problem.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Lookups } from "@agon/server/http/Lookups.ts"
import type { Table } from "@agon/server/http/limit/RateLimits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { call, noLookups, uncalled, unlimited, layer as webLayer } from "../support/Web.ts"

/** A board of 250 whose name a test may change behind the cache, and a season that is moving. */
const season = { name: "Season 1" }
const LeaderboardHandlers = HttpApiBuilder.group(Api, "leaderboard", (handlers) =>
  handlers.handleAll({
    leaderboard: Effect.fnUntraced(function* ({ params, query }) {
      if (params.game === "moving") return yield* new Unavailable({ detail: "The season is moving; try again." })
      yield* tagged("season:s1", `game:${params.game}`)
      const rows = Math.max(0, Math.min(query.limit, 250 - query.cursor))
      const answer: Leaderboard = {
        season: "s1",
        season_name: season.name,
        closed: false,
        round: null,
        total: rows,
        entries: [],
        next_cursor: nextCursor(query.cursor, rows, 250)
      }
      return answer
    }),
    series: uncalled,
    matrix: uncalled,
    privateMatrix: uncalled,
    privateLeaderboard: uncalled,
    privateSeries: uncalled
  })
)
const VersionHandlers = HttpApiBuilder.group(Api, "version", (handlers) =>
  handlers.handleAll({
    version: () => Effect.fail(new NotFound({ detail: "There is no such version." })),
    ownVersion: () => Effect.flatMap(OwnVersion, ({ id }) => Effect.fail(new NotFound({ detail: `reached ${id}` }))),
    candidates: () => Effect.succeed({ candidates: [], total: 0, next_cursor: null }),
    editVersion: uncalled,
    privateVersion: uncalled
  })
)
const owned = "00000000-0000-7000-8000-000000000001"
const key = "agon_rk_good"
const SomeLookups = Layer.effect(
  Lookups,
  Effect.map(Lookups, (none) => ({
    ...none,
    versionOwnedBy: (_account, id) => Effect.succeed(id === owned ? Option.some({ id }) : Option.none()),
    runnerByKey: (secret) => Effect.succeed(secret === key ? Option.some({ id: "k1", season_id: null }) : Option.none())
  })) satisfies Effect.Effect<Lookups["Service"], never, Lookups>
).pipe(Layer.provide(noLookups))

const webOf = (rates?: Table) =>
  webLayer({
    handlers: Layer.mergeAll(AccountHandlers, LeaderboardHandlers, VersionHandlers).pipe(Layer.provide(SignInOff)),
    served: ["account", "leaderboard", "version"],
    ...(rates === undefined ? {} : { rates })
  }).pipe(Layer.provide(SomeLookups))
const SignInOff = Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {}))

const board = "/v1/games/snakes/leaderboard"
const me = (how: object) => ({ method: "PATCH", ...how })

layer(webOf())("answers", (it) => {
  it.effect("a refusal is a problem with type, title, status, detail and code, and nothing of Effect's", () =>
    Effect.gen(function* () {
      const { headers, json, status } = yield* call("/v1/auth/nowhere/callback".replace("/callback", ""))
      assert.strictEqual(status, 500) // the mocked sign-in: a defect says nothing of itself
      assert.strictEqual(json.code, "internal")
      const refused = yield* call(`/v1/versions/${owned}`)
      assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
      assert.strictEqual(refused.headers.get("cache-control"), "no-store")
      assert.match(refused.headers.get("x-request-id")!, /.+-/)
      assert.strictEqual(json.request_id, headers.get("x-request-id"))
      assert.deepStrictEqual(refused.json, {
        type: "/errors#not_found",
        title: "Not found",
        status: 404,
        code: "not_found",
        detail: "There is no such version."
      })
    })
  )

  it.effect("checks go route, authentication, origin, existence or role, then size, media type, JSON and shape", () =>
    Effect.gen(function* () {
      const bad = { body: "{" }
      const foreign = { headers: { "sec-fetch-site": "cross-site" } }
      const text = { headers: { "content-type": "text/plain" } }
      const cases = [
        ["/v1/nothing", me(bad), "404 not_found"],
        ["/v1/sessions", me(bad), "405 method_not_allowed"],
        ["/v1/me", me({ ...bad, ...foreign }), "401 unauthenticated"],
        ["/v1/me", me({ ...bad, ...foreign, as: "ada" }), "403 cross_origin"],
        ["/v1/runner-keys", { method: "POST", ...bad, as: "ada" }, "403 admin_only"],
        ["/v1/runner-keys/none", { method: "DELETE", as: "ada" }, "403 admin_only"],
        [`/v1/me/versions/${owned.replace("1", "2")}`, { as: "ada" }, "404 not_found"],
        ["/v1/me", me({ as: "ada", body: `"${"x".repeat(1024 * 1024)}"` }), "413 body_too_large"],
        ["/v1/me", me({ as: "ada", ...bad, ...text }), "415 unsupported_media_type"],
        ["/v1/me", me({ as: "ada", ...bad }), "400 invalid_json"],
        ["/v1/me", me({ as: "ada", json: { bio: 1 } }), "400 invalid_request"],
        ["/v1/me", me({ as: "ada", json: [] }), "400 invalid_request"],
        ["/v1/versions/not-a-uuid", {}, "404 not_found"]
      ] as const
      for (const [path, how, expected] of cases) {
        const { json, status } = yield* call(path, how)
        assert.strictEqual(`${status} ${json.code}`, expected, `${path} ${JSON.stringify(how).slice(0, 80)}`)
      }
    })
  )

  it.effect("a body without a content type counts as JSON", () =>
    Effect.gen(function* () {
      const answer = yield* call("/v1/me", me({ as: "bob", json: { bio: "plain" }, headers: { "content-type": undefined } }))
      assert.deepStrictEqual([answer.status, answer.json.bio], [200, "plain"])
    })
  )

  it.effect("a body in a content coding is refused by its header, however it reads, and with what is understood instead", () =>
    Effect.gen(function* () {
      const send = (coding: string, body = "{", more = {}) =>
        call("/v1/me", me({ as: "bob", body, headers: { "content-encoding": coding, "content-type": undefined, ...more } }))
      for (const coding of ["gzip", "br", "deflate", "x-unknown", "identity, gzip", "GZIP"]) {
        const { headers, json, status } = yield* send(coding)
        assert.deepStrictEqual([status, json.code, headers.get("accept-encoding")], [415, "unsupported_media_type", "identity"], coding)
      }
      for (const coding of ["identity", "Identity", ""]) {
        const plain = yield* send(coding, JSON.stringify({ bio: "as it is" }))
        assert.deepStrictEqual([plain.status, plain.json.bio], [200, "as it is"], coding)
      }
      const large = yield* send("gzip", "{", { "content-length": "1048577" })
      assert.strictEqual(large.json.code, "body_too_large") // the size is looked at first
    })
  )

  it.effect("a body that is no UTF-8 is no JSON, and the character of replacement is text like any other", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array([...Buffer.from('{"bio":"caf'), 0xe9, ...Buffer.from('"}')]) // as ISO 8859-1 writes it
      const { json, status } = yield* call("/v1/me", me({ as: "bob", bytes }))
      assert.deepStrictEqual([status, json.code], [400, "invalid_json"])
      const kept = yield* call("/v1/me", me({ as: "bob", json: { bio: "caf\ufffd \u00e9 \u{1f600}" } }))
      assert.deepStrictEqual([kept.status, kept.json.bio], [200, "caf\ufffd \u00e9 \u{1f600}"])
    })
  )

  it.effect("405 names what is allowed, HEAD with GET, whatever a path's parameters are called", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("/v1/me", { method: "POST" })).headers.get("allow"), "GET, HEAD, PATCH")
      assert.strictEqual((yield* call("/v1/session", { method: "PUT" })).headers.get("allow"), "DELETE")
    })
  )

  it.effect("HEAD answers as GET, without the body", () =>
    Effect.gen(function* () {
      const head = yield* call("/v1/me", { method: "HEAD", as: "ada" })
      assert.deepStrictEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"])
    })
  )

  it.effect("a body that its schema refuses says where and why, for every field", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/me", me({ as: "ada", json: { display_name: "", bio: 1, more: 2 } }))
      assert.deepStrictEqual(
        json.errors.map((error: any) => error.path),
        ["display_name", "bio"]
      )
    })
  )

  it.effect("what a submission or a model lacks has a code of its own", () =>
    Effect.gen(function* () {
      const code = (path: string, json: unknown) =>
        Effect.map(call(path, { method: "POST", as: "ada", json }), (answer) => answer.json.code)
      const hash = `sha256:${"0".repeat(64)}`
      assert.strictEqual(yield* code("/v1/submissions", { game: "snakes", model: owned, weights_hash: hash }), "missing_hash")
      assert.strictEqual(
        yield* code("/v1/submissions", { game: "snakes", model: owned, weights_hash: hash, manifest_hash: "x" }),
        "invalid_request"
      )
      assert.strictEqual(yield* code("/v1/games/snakes/models", {}), "missing_name")
      assert.strictEqual(yield* code("/v1/games/snakes/models", { name: "x".repeat(65) }), "invalid_request")
    })
  )

  it.effect("limit is clamped, below one is refused, and the cursor has a code of its own", () =>
    Effect.gen(function* () {
      const page = (yield* call(`${board}?limit=900`)).json
      assert.deepStrictEqual([page.total, page.next_cursor], [200, "200"])
      const last = (yield* call(`${board}?limit=60&cursor=200&utm=x`)).json
      assert.deepStrictEqual([last.total, last.next_cursor], [50, null])
      for (const [query, code] of [
        ["limit=0", "invalid_request"],
        ["ladder=huge", "invalid_request"],
        ["cursor=-1", "invalid_cursor"],
        ["cursor=2147483648", "invalid_cursor"]
      ]) {
        assert.strictEqual((yield* call(`${board}?${query}`)).json.code, code, query)
      }
    })
  )

  it.effect("a season that moves answers 503 and says when to come back", () =>
    Effect.gen(function* () {
      const { headers, json, status } = yield* call("/v1/games/moving/leaderboard")
      assert.deepStrictEqual([status, json.code, headers.get("retry-after")], [503, "unavailable", "1"])
    })
  )

  it.effect("a runner is known by its key, and by nothing else", () =>
    Effect.gen(function* () {
      const ask = (headers: Record<string, string>, as?: string) =>
        Effect.map(
          call("/v1/runner/heartbeat", { method: "POST", json: { runner: 1 }, headers, ...(as === undefined ? {} : { as }) }),
          ({ json, status }) => `${status} ${json.code}`
        )
      assert.strictEqual(yield* ask({}), "401 unauthenticated")
      assert.strictEqual(yield* ask({}, "root"), "401 unauthenticated")
      assert.strictEqual(yield* ask({ authorization: "Bearer agon_rk_bad" }), "401 unauthenticated")
      assert.strictEqual(yield* ask({ authorization: `Bearer ${key}` }), "400 invalid_request")
    })
  )

  it.effect("a defect answers 500 with the request id and nothing of its cause", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE account RENAME COLUMN display_name TO nick`
      const { headers, json, status, text } = yield* call("/v1/me", { as: "ada" })
      yield* sql`ALTER TABLE account RENAME COLUMN nick TO display_name`
      assert.deepStrictEqual([status, json.code, json.request_id], [500, "internal", headers.get("x-request-id")])
      assert.notInclude(text, "display_name")
    })
  )

  it.effect("the process, its database and its documents are there, and its metrics are not", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("/healthz")).status, 200)
      assert.strictEqual((yield* call("/readyz")).status, 200)
      assert.deepInclude((yield* call("/metrics")).json, { status: 404, code: "not_found" })
      assert.strictEqual((yield* call("/openapi.json")).json.openapi.slice(0, 3), "3.1")
      assert.include((yield* call("/docs")).headers.get("content-type"), "text/html")
      assert.strictEqual((yield* call("/")).headers.get("location"), "/docs")
    })
  )
})

layer(webOf())("shared answers", (it) => {
  it.effect("are kept with an ETag, answer 304, and go after 600 s or at once when purged", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const first = yield* call(board)
      const etag = first.headers.get("etag")!
      assert.strictEqual(first.headers.get("cache-control"), "public, max-age=0, s-maxage=600")
      assert.match(etag, /^"[\w-]{22}"$/)
      const same = yield* call(board, { headers: { "if-none-match": `W/"x", ${etag}` } })
      assert.deepStrictEqual([same.status, same.text, same.headers.get("etag")], [304, "", etag])

      season.name = "Second"
      assert.strictEqual((yield* call(board)).text, first.text)
      yield* TestClock.adjust("601 seconds")
      assert.strictEqual((yield* call(board)).json.season_name, "Second")
      season.name = "Third"
      yield* cache.purge("season:s1")
      assert.strictEqual((yield* call(board)).json.season_name, "Third")
      season.name = "Fourth"
      yield* cache.purgeAll
      assert.strictEqual((yield* call(board)).json.season_name, "Fourth")
    })
  )
})

layer(webOf({ ...unlimited, write: { per_s: 1, burst: 2 }, public: { per_s: 0.01, burst: 3 } }))("rate limits", (it) => {
  it.effect("count per account and class, and say when to come back", () =>
    Effect.gen(function* () {
      const rename = call("/v1/me", me({ as: "ada", json: { display_name: "Ada L." } }))
      yield* rename
      yield* rename
      const refused = yield* rename
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after"), refused.json.retry_after_ms], [429, "1", 1000])
      assert.strictEqual((yield* call("/v1/me", { as: "ada" })).status, 200)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* rename).status, 200)
    })
  )

  it.effect("stop guessing at sessions before the database is asked, while a session known to be good goes on", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const guess = (n: number) => Effect.map(call("/v1/me", { as: `guess-${n}` }), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4], guess), [401, 401, 401, 429])
      assert.strictEqual((yield* call("/v1/me", { as: "ada" })).status, 200)
    })
  )
})
