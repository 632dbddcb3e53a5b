/**
 * Who may do what: every row of routes.tsv is asked for by everybody there is, over the whole service on a
 * real database. The answer to each follows from the row; a row that nobody can make succeed fails, so no
 * route is without a test that calls it.
 */

import { type Bucket, RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import { faultsOfBody } from "../support/Bodies.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Callers from "../support/RoleCallers.ts"
import { prepare, prepared, type Sending } from "../support/RoleRequests.ts"
import { type Row, routeOf, table } from "../support/RoutesTable.ts"
import type { Answered } from "../support/Web.ts"

type Caller = Callers.Caller

/** Buckets that requests took from, since somebody looked. */
const taken: Array<Bucket> = []
const counting = Layer.succeed(RateLimits, {
  takeUnsafe: () => 0,
  take: (rate) => Effect.sync(() => void taken.push(rate))
})

const isSignedIn = ({ account, locked }: Caller) => account !== undefined && locked === undefined
const isPlatform = ({ account }: Caller) => account === Callers.platform.account
/** A write with somebody's session that they know nothing of. */
const isForged = ({ auth, method }: Row, { foreign }: Caller) => foreign === true && method !== "GET" && auth !== "runner"

/** The refusal that the row promises the caller; undefined is success. */
const refusalOf = (row: Row, caller: Caller, ours: string): string | undefined => {
  const signedIn = isSignedIn(caller)
  if (isForged(row, caller)) return "403 cross_origin"
  switch (row.auth) {
    case "public":
    case "optional":
      return undefined
    case "runner":
      if (caller.key === undefined || caller.key === "agon_rk_none") return "401 unauthenticated"
      // Opening a session names nothing that another key could have.
      return caller.key === ours || row.path === "/v1/runner/sessions" ? undefined : "404 not_found"
    case "session":
      return signedIn ? undefined : "401 unauthenticated"
    case "owner":
      return !signedIn ? "401 unauthenticated" : caller === Callers.owner ? undefined : "404 not_found"
    case "season-admin":
      if (!signedIn) return "401 unauthenticated"
      return caller === Callers.administrator || isPlatform(caller) ? undefined : "403 season_admin_only"
    case "platform-admin":
    case "probe":
      return !signedIn ? "401 unauthenticated" : isPlatform(caller) ? undefined : "403 admin_only"
  }
}

/**
 * The buckets of a request: the class of its row, and its address's where it comes with nothing
 * the service has seen before.
 */
const ratesOf = (row: Row, caller: Caller): ReadonlyArray<string> => {
  if (row.auth === "public") return [row.rate]
  if (isForged(row, caller)) return []
  const known = row.auth === "runner" ? caller.key !== undefined && caller.key !== "agon_rk_none" : isSignedIn(caller)
  const adds = routeOf(row) === "POST /v1/threads/comments" ? ["comment"] : []
  return known ? [row.rate, "public", ...adds] : ["public"]
}

const send = ({ json, method, session, url }: Sending, { account, foreign, key }: Caller) => {
  const as = account === undefined ? undefined : (session ?? account)
  return A.ask(url, {
    method,
    json,
    ...(as === undefined ? {} : { as }),
    headers: { ...(key === undefined ? {} : Callers.bearer(key)), ...(foreign === true ? { "sec-fetch-site": "cross-site" } : {}) }
  })
}

const saidBy = ({ json, status }: Answered) => (status < 400 ? String(status) : `${status} ${json.code}`)

/**
 * Rows that a request could add, take away or change, but for those that seasons write by themselves: those
 * of Fixture.ts are woken by whoever revokes a key, and find that their rounds are long over.
 */
const whatThereIs = Effect.map(
  A.rows<{ readonly all: string }>`
    SELECT concat_ws(' ', (SELECT count(*) FROM session), (SELECT count(*) FROM round), (SELECT count(*) FROM season_admin),
      (SELECT count(*) FROM runner), (SELECT count(*) FROM notice), (SELECT count(*) FROM audit), (SELECT count(*) FROM report),
      (SELECT string_agg(w::text, '' ORDER BY word) FROM word w),
      (SELECT md5(string_agg(c::text, '' ORDER BY id)) FROM comment c), (SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM thread t),
      (SELECT md5(string_agg(n::text, '' ORDER BY id)) FROM announcement n), (SELECT md5(string_agg(p::text, '' ORDER BY id)) FROM post p),
      (SELECT md5(string_agg(s::text, '' ORDER BY model_id)) FROM story s),
      (SELECT md5(string_agg(a::text, '' ORDER BY id)) FROM account a), (SELECT md5(string_agg(m::text, '' ORDER BY id)) FROM model m),
      (SELECT md5(string_agg(k::text, '' ORDER BY id)) FROM runner_key k), (SELECT md5(string_agg(p::text, '' ORDER BY id)) FROM participant p),
      (SELECT md5(string_agg(concat(id, note), '' ORDER BY id)) FROM version),
      (SELECT md5(string_agg(concat(season_id, map_id, enabled), '' ORDER BY season_id, map_id)) FROM board),
      (SELECT md5(string_agg(concat(id, featured, entry, fleet, fill, rules, weight_classes, close_requested_at), '' ORDER BY id))
        FROM season WHERE slug NOT IN ('spring', 'secret', 'autumn'))) AS all`,
  ([found]) => found!.all
)

let n = 0

/** One caller at one row. A request that is to be refused is one that would succeed for whom the row is for. */
const visit = Effect.fnUntraced(function* (row: Row, caller: Caller, refused: Sending, ours: string) {
  const expected = refusalOf(row, caller, ours)
  const sending = expected === undefined ? yield* prepare(row, caller, (n += 1)) : refused
  const before = expected === undefined ? "" : yield* whatThereIs
  taken.length = 0
  const answer = yield* send(sending, caller)
  const at = `${routeOf(row)} by ${caller.role}: ${answer.text.slice(0, 300)}`
  assert.strictEqual(saidBy(answer), expected ?? row.success, at)
  assert.sameMembers([...new Set<string>([...taken, "public"])], [...new Set([...ratesOf(row, caller), "public"])], `buckets of ${at}`)
  if (row.auth === "public") assert.include(taken, row.rate, at)
  const kept = row.cache === "shared" && expected === undefined
  assert.strictEqual(answer.headers.get("cache-control"), kept ? "public, max-age=0, s-maxage=600" : "no-store", at)
  assert.strictEqual(answer.headers.get("etag") !== null, kept, at)
  if (expected !== undefined) assert.strictEqual(yield* whatThereIs, before, `${at} changed something`)
  else assert.deepStrictEqual(faultsOfBody(row.method, row.path, answer.status, answer.text), [], `${at} is not as the document says`)
})

/** All that a client can see of an answer, but for the name it asked for and the request's id. */
const seen = ({ headers, status, text }: Answered, slug: string) => ({
  status,
  text: text.replaceAll(slug, "..."),
  headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date")
})

/** The same request about another season. */
const at = (sending: Sending, season: string) => ({ ...sending, url: sending.url.replace(/^\/v1\/games\/[^/]+\/seasons\/[^/?]+/, season) })

const rightful = (row: Row): Caller =>
  row.auth === "season-admin" ? Callers.administrator : row.auth === "owner" ? Callers.owner : Callers.platform

const web = Callers.layer.pipe(Layer.provideMerge(Fixture.layer), Layer.provideMerge(A.layerWith(counting)))

const ofOneSeason = (auth: Row["auth"]) => table.filter((row) => row.auth === auth && row.path.includes("/seasons/{slug}"))
const absent = A.urlOf("absent")
const unknownGame = `/v1/games/chess/seasons/${Callers.ours}`

layer(web, A.options)("everybody", (it) => {
  it.effect("finds no season to administer where there is none for them, were it there or not", () =>
    Effect.gen(function* () {
      for (const row of ofOneSeason("season-admin")) {
        const sending = yield* prepare(row, Callers.administrator, (n += 1))
        for (const caller of [Callers.session, Callers.otherAdministrator]) {
          const hidden = yield* send(at(sending, A.urlOf(Callers.hidden)), caller)
          const none = yield* send(at(sending, absent), caller)
          assert.strictEqual(saidBy(hidden), "404 unknown_season", routeOf(row))
          assert.deepStrictEqual(seen(hidden, Callers.hidden), seen(none, "absent"), routeOf(row))
          assert.strictEqual(saidBy(yield* send(at(sending, unknownGame), caller)), "404 unknown_game", routeOf(row))
        }
        const participant = yield* send(at(sending, A.urlOf(Callers.hidden)), Callers.owner)
        assert.strictEqual(saidBy(participant), "403 season_admin_only", `${routeOf(row)} by who sees the season`)
      }
    })
  )

  it.effect("is told that a route is the platform's, whatever season there is, and its administrators what there is not", () =>
    Effect.gen(function* () {
      for (const row of ofOneSeason("platform-admin")) {
        const sending = yield* prepare(row, Callers.platform, (n += 1))
        for (const season of [A.urlOf(Callers.hidden), absent, unknownGame]) {
          assert.strictEqual(saidBy(yield* send(at(sending, season), Callers.administrator)), "403 admin_only", `${routeOf(row)} ${season}`)
        }
        assert.strictEqual(saidBy(yield* send(at(sending, absent), Callers.platform)), "404 unknown_season", routeOf(row))
        assert.strictEqual(saidBy(yield* send(at(sending, unknownGame), Callers.platform)), "404 unknown_game", routeOf(row))
      }
    })
  )

  it.effect("may ask for the head of what there is to read, and is told what else there is where a path has no such method", () =>
    Effect.gen(function* () {
      for (const [path, rows] of Map.groupBy(table, ({ path }) => path)) {
        const row = rows[0]!
        const methods = rows.map(({ method }) => method)
        const sending = yield* prepare(row, rightful(row), (n += 1))
        const unknown = yield* send({ ...sending, method: methods.includes("DELETE") ? "PUT" : "DELETE" }, Callers.nobody)
        assert.strictEqual(saidBy(unknown), "405 method_not_allowed", path)
        const expected = methods.includes("GET") ? [...methods, "HEAD"] : methods
        assert.sameMembers(unknown.headers.get("allow")!.split(", "), expected, path)
        if (row.method !== "GET") continue
        const whole = yield* send(sending, rightful(row))
        const head = yield* send({ ...sending, method: "HEAD" }, rightful(row))
        assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [whole.status, "", whole.headers.get("etag")], path)
      }
    })
  )

  it.effect("has no request for what is no row", () =>
    Effect.sync(() => {
      const known = new Set(table.map(routeOf))
      assert.deepStrictEqual(
        prepared.filter((route) => !known.has(route)),
        []
      )
    })
  )

  for (const row of table) {
    it.effect(`is answered by ${routeOf(row)} as a route of ${row.auth} answers`, () =>
      Effect.gen(function* () {
        const { keys } = yield* Callers.World
        const { session: _session, ...refused } = yield* prepare(row, rightful(row), (n += 1))
        for (const caller of yield* Callers.callers) yield* visit(row, caller, refused, keys.ours.secret)
      })
    )
  }
})
