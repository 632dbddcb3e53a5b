/**
 * For every route a request that must succeed for whom the route is for, with all that it needs made ready:
 * the match is there to be read, the round to be patched, the lease to be given back. A GET that needs
 * nothing but `names` has no line here.
 */

import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import type { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { unsubscribeToken } from "@agon/server/notification/mail/unsubscribing.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as A from "./Administration.ts"
import { published } from "./Commenting.ts"
import * as Fixture from "./Fixture.ts"
import { sha256 } from "./Fuzz.ts"
import { aboutRunner, bearer, type Caller, openRunner, ours, theirs, third, World } from "./RoleCallers.ts"
import { type Row, routeOf } from "./RoutesTable.ts"
import type { Web } from "./Web.ts"
import * as Writing from "./Writing.ts"

export interface Ready {
  /** Values of the path's parameters, where they are not the usual ones. */
  readonly names?: Readonly<Record<string, string>>
  readonly query?: string
  readonly json?: unknown
  /** Another session of the caller's than the one they mostly use. */
  readonly session?: string
}

type Needs = Web | World | SqlClient.SqlClient | SeasonActors
/** `n` is another each time, for what must be new. */
type Prepare = (caller: Caller, n: number) => Effect.Effect<Ready, never, Needs>

const { matchIds, modelIds, versionIds } = Fixture

const ready =
  (given: Ready): Prepare =>
  () =>
    Effect.succeed(given)
const made = (path: string, json?: unknown) =>
  Effect.map(A.post(path, json), (answer) => {
    assert.strictEqual(answer.status, 201, `${path} ${answer.text}`)
    return answer.json
  })

/** Values of parameters, by the route they are in. */
const namesOf = ({ auth, path }: Row): Readonly<Record<string, string>> => ({
  ...{ game: "snakes", slug: auth.endsWith("-admin") ? ours : "spring" },
  ...{ map_id: "duel", username: "ada", provider: "hub" },
  id: path.includes("/models/") ? modelIds.alpha : path.includes("/versions/") ? versionIds.alpha2 : matchIds.nano
})

/** Callers without an account name ada's: their requests are to be refused for who they are. */
const accountOf = ({ account = "ada" }: Caller) => account

const anotherSession = Effect.fnUntraced(function* (username: string, n: number) {
  const [row] = yield* A.rows<{ readonly id: string }>`
    INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
    SELECT gen_random_uuid(), id, sha256(convert_to(${`${username}-${n}-token`}, 'UTF8')), now(), now(), '2099-01-01'
    FROM account WHERE username = ${username} RETURNING id`
  return row!.id
})

/**
 * A sign-in of a device that waits, or that a new session of `username` has approved; its
 * codes have the number in them.
 */
const device = Effect.fnUntraced(function* (n: number, username?: string) {
  const session = username === undefined ? "" : yield* anotherSession(username, n)
  yield* A.rows`INSERT INTO device_sign_in (device_code_sha256, user_code_sha256, address_sha256, client_name, account_id, session_id,
      approved, created_at, expires_at, interval_s)
    SELECT sha256(convert_to(${`device ${n}`}, 'UTF8')), sha256(convert_to(${`USER${n}`}, 'UTF8')), '', 'agon', s.account_id, s.id,
      CASE WHEN s.id IS NOT NULL THEN true END, now(), '2099-01-01', 5
    FROM (SELECT 1) one LEFT JOIN session s ON s.id::text = ${session}`
  return { device_code: `device ${n}`, user_code: `user-${n}` }
})

const modelOf = Effect.fnUntraced(function* (username: string, n: number) {
  const [row] = yield* A.rows<{ readonly id: string; readonly owner: string }>`
    INSERT INTO model (id, game, owner_id, name, created_at) SELECT gen_random_uuid(), 'snakes', id, ${`made ${n}`}, now()
    FROM account WHERE username = ${username} RETURNING id, owner_id AS owner`
  return row!
})

const hashes = (n: number) => ({ weights_hash: sha256(`weights ${n}`), manifest_hash: sha256(`manifest ${n}`) })
/** Versions of Fixture.ts have the small numbers. */
const versionNumber = (n: number) => 1_000 + n
const board = (n: number) => ({ ...JSON.parse(JSON.stringify(snakesBoards[0])), map_id: `board-${n}` })
/** Each after all before it. */
const roundBody = (n: number) => ({ kind: "round", games: 1, starts_at: new Date(Date.parse("2091-01-01") + n * 86_400_000).toISOString() })

/** A new season of sam's that has not begun. */
const fresh: Prepare = (_caller, n) => Effect.as(A.scheduled(`fresh-${n}`, { admins: ["sam"] }), { names: { slug: `fresh-${n}` } })

/** A candidate that the season's own runner has just leased. */
const leased = Effect.fnUntraced(function* (n: number) {
  const { keys, season } = yield* World
  yield* A.baseline(season, versionNumber(n), `leased-${n}`, false)
  const json = { runner: keys.ours.runner, max: 1, wait_s: 20 }
  const answer = yield* A.ask("/v1/runner/leases", { method: "POST", json, headers: bearer(keys.ours.secret) })
  assert.strictEqual(answer.json.leases?.length, 1, answer.text)
  return answer.json.leases[0].lease as string
})

const runnerOf = (keysPath: string) =>
  Effect.flatMap(made(keysPath, { name: "spare" }), ({ key }) => Effect.map(openRunner(key), (runner) => ({ names: { runner } })))
const keyOf = (keysPath: string) => Effect.map(made(keysPath, { name: "spare" }), ({ id }) => ({ names: { key: id } }))

const ofCompetitors: Readonly<Record<string, Prepare>> = {
  "GET /v1/auth/{provider}/callback": ready({ query: "?code=c&state=s" }),
  "POST /v1/auth/device": ready({ json: { client_name: "agon on a laptop" } }),
  "POST /v1/auth/device/token": (_caller, n) => Effect.map(device(n, "eve"), ({ device_code }) => ({ json: { device_code } })),
  "GET /v1/auth/device": (_caller, n) => Effect.map(device(n), ({ user_code }) => ({ query: `?user_code=${user_code}` })),
  "POST /v1/auth/device/approve": (_caller, n) => Effect.map(device(n), ({ user_code }) => ({ json: { user_code, approve: true } })),
  "PATCH /v1/me": ready({ json: { bio: "plays" } }),
  "DELETE /v1/sessions/{sid}": (caller, n) => Effect.map(anotherSession(accountOf(caller), n), (sid) => ({ names: { sid } })),
  "DELETE /v1/session": (caller, n) =>
    Effect.as(anotherSession(accountOf(caller), n), caller.account === undefined ? {} : { session: `${caller.account}-${n}` }),
  "POST /v1/games/{game}/models": (_caller, n) => Effect.succeed({ json: { name: `new ${n}` } }),
  "PATCH /v1/models/{id}": ready({ json: { retired: false } }),
  "GET /v1/models/{id}/season": ready({ query: "?season=spring" }),
  "PATCH /v1/versions/{id}": ready({ json: { note: "deep" } }),
  "GET /v1/me/matches/{id}": ready({ names: { id: matchIds.secret } }), // ada has both of its seats
  "POST /v1/submissions": (caller, n) =>
    Effect.map(modelOf(accountOf(caller), n), ({ id }) => ({ json: { game: "snakes", season: ours, model: id, ...hashes(n) } })),
  "POST /v1/submissions/reenter": Effect.fnUntraced(function* (caller, n) {
    const { id, owner } = yield* modelOf(accountOf(caller), n)
    const ord = versionNumber(n)
    const entered = { id: Fixture.uuid("version", ord), model_id: id, owner_id: owner, ord, weights_hash: sha256(`entered ${n}`) }
    yield* A.rows`INSERT INTO version SELECT (jsonb_populate_record(v, ${JSON.stringify(entered)}::text::jsonb)).*
      FROM version v WHERE id = ${versionIds.alphaWinter}`
    return { json: { game: "snakes", model: id, from: "winter", season: third } }
  })
}

const { nano } = matchIds
const text = (n: number) => `no. ${n}`
/** A comment that is there to be read. */
const readable: Prepare = (_caller, n) => Effect.map(published("root", { match: nano }, text(n)), (id) => ({ names: { id } }))

const written = (n: number) => ({ slug: `post-${n}`, title: text(n), body: text(n) })
const posted: Prepare = (_caller, n) => Effect.as(Writing.post(`post-${n}`), { names: { slug: `post-${n}` } })
const announced: Prepare = (_caller, n) => Effect.map(Writing.announce(text(n)), ({ id }) => ({ names: { id } }))
const story = Writing.story("ada", modelIds.alpha, "Once.")

const ofWriting: Readonly<Record<string, Prepare>> = {
  "GET /v1/posts/{slug}": posted,
  "GET /v1/models/{id}/story": () => Effect.as(story, {}),
  "PUT /v1/models/{id}/story": (_caller, n) => Effect.succeed({ json: { body: text(n) } }),
  "POST /v1/admin/announcements": ready({ json: { title: "Soon", body: "Really." } }),
  "PATCH /v1/admin/announcements/{id}": (caller, n) => Effect.map(announced(caller, n), (at) => ({ ...at, json: { title: "Now" } })),
  "DELETE /v1/admin/announcements/{id}": announced,
  "POST /v1/admin/posts": (_caller, n) => Effect.succeed({ json: written(n) }),
  "PATCH /v1/admin/posts/{slug}": (caller, n) => Effect.map(posted(caller, n), (at) => ({ ...at, json: { title: "Now" } })),
  "DELETE /v1/admin/posts/{slug}": posted,
  "PATCH /v1/admin/stories/{model}": () => Effect.as(story, { names: { model: modelIds.alpha }, json: { state: "rejected" } })
}

const ofCommunity: Readonly<Record<string, Prepare>> = {
  ...ofWriting,
  "GET /v1/threads": ready({ query: `?match=${nano}` }),
  "GET /v1/private/threads": ready({ query: `?match=${nano}` }),
  "POST /v1/threads/comments": (_caller, n) => Effect.succeed({ json: { match: nano, body: text(n) } }),
  "DELETE /v1/comments/{id}": (caller, n) =>
    Effect.map(published(accountOf(caller), { match: nano }, text(n)), (id) => ({ names: { id } })),
  "POST /v1/comments/{id}/reports": (caller, n) => Effect.map(readable(caller, n), (at) => ({ ...at, json: { reason: "rude" } })),
  "PATCH /v1/admin/comments/{id}": (caller, n) => Effect.map(readable(caller, n), (at) => ({ ...at, json: { state: "removed" } })),
  "PATCH /v1/admin/threads/{id}": Effect.fnUntraced(function* (caller, n) {
    yield* readable(caller, n)
    const [thread] = yield* A.rows<{ readonly id: string }>`SELECT id FROM thread WHERE match_id = ${nano}`
    return { names: { id: thread!.id }, json: { locked: false } }
  })
}

const pickNano = Effect.andThen(A.rows`DELETE FROM pick`, made("/v1/admin/picks", { match: nano }))

const webhook = Effect.fnUntraced(function* (username: string) {
  const [row] = yield* A.rows<{ readonly id: string }>`
    INSERT INTO webhook (id, account_id, url, secret, created_at)
    SELECT gen_random_uuid(), id, 'https://hooks.example/agon', 'secret', now() FROM account WHERE username = ${username} RETURNING id`
  return row!.id
})

/** Mails of somebody, and the query of the link that ends them. */
const mailed = Effect.gen(function* () {
  const [row] = yield* A.rows<{ readonly id: string }>`
    INSERT INTO webhook (id, account_id, url, secret, channel, created_at)
    SELECT gen_random_uuid(), id, 'mailto:', 'secret', 'mail', now() FROM account WHERE username = 'ada' RETURNING id`
  return { query: `?token=${unsubscribeToken(row!.id, "secret")}` }
})

const seasonWebhook = Effect.gen(function* () {
  const { season } = yield* World
  const id = yield* webhook("ada")
  yield* A.rows`UPDATE webhook SET channel = 'season' WHERE id = ${id}`
  yield* A.rows`INSERT INTO season_webhook VALUES (${season}, ${id})`
  return { names: { id } }
})
const W = "/v1/games/{game}/seasons/{slug}/webhooks"
const ofSeasonWebhooks: Readonly<Record<string, Prepare>> = {
  [`POST ${W}`]: () => Effect.as(A.rows`DELETE FROM webhook`, { json: { url: "https://hooks.example/agon" } }),
  [`PATCH ${W}/{id}`]: () => Effect.map(seasonWebhook, (at) => ({ ...at, json: { enabled: false } })),
  [`DELETE ${W}/{id}`]: () => seasonWebhook,
  [`POST ${W}/{id}/secret`]: () => seasonWebhook,
  [`POST ${W}/{id}/test`]: () => seasonWebhook,
  [`GET ${W}/{id}/deliveries`]: () => seasonWebhook
}

const ofAudience: Readonly<Record<string, Prepare>> = {
  "POST /v1/me/notifications/read": ready({ json: { all: true } }),
  "PATCH /v1/me/notification-settings": ready({ json: { season_closed: false } }),
  "POST /v1/me/webhooks": () => Effect.as(A.rows`DELETE FROM webhook`, { json: { url: "https://hooks.example/agon" } }),
  "DELETE /v1/me/webhooks/{id}": (caller) => Effect.map(webhook(accountOf(caller)), (id) => ({ names: { id } })),
  "PATCH /v1/me/webhooks/{id}": (caller) => Effect.map(webhook(accountOf(caller)), (id) => ({ names: { id }, json: { enabled: false } })),
  "POST /v1/me/webhooks/{id}/secret": (caller) => Effect.map(webhook(accountOf(caller)), (id) => ({ names: { id } })),
  "GET /v1/me/webhooks/{id}/deliveries": (caller) => Effect.map(webhook(accountOf(caller)), (id) => ({ names: { id } })),
  "POST /v1/me/webhooks/{id}/test": (caller) => Effect.map(webhook(accountOf(caller)), (id) => ({ names: { id } })),
  "GET /v1/unsubscribe": ready({ query: "?token=x" }),
  "POST /v1/unsubscribe": () => mailed,
  "POST /v1/events": ready({ json: { kind: "match", id: nano } }),
  "POST /v1/admin/notifications": ready({ json: { subject: "Hello" } }),
  "POST /v1/admin/picks": () => Effect.as(A.rows`DELETE FROM pick`, { json: { match: nano } }),
  "DELETE /v1/admin/picks/{id}": () => Effect.map(pickNano, ({ id }) => ({ names: { id } }))
}

const ofPlatform: Readonly<Record<string, Prepare>> = {
  "PATCH /v1/admin/users/{username}": ready({ json: { admin: false } }),
  "POST /v1/admin/words": (_caller, n) => Effect.succeed({ json: { word: `word${n}` } }),
  "DELETE /v1/admin/words/{word}": (_caller, n) =>
    Effect.as(made("/v1/admin/words", { word: `gone${n}` }), { names: { word: `gone${n}` } }),
  "POST /v1/games/{game}/seasons": (_caller, n) => Effect.succeed({ json: A.seasonBody(`season-${n}`) }),
  "POST /v1/games/{game}/seasons/{slug}/featured": ready({}),
  "PATCH /v1/games/{game}/seasons/{slug}/fleet": ready({ json: { matches: "both" } }),
  "PATCH /v1/games/{game}/seasons/{slug}/fill": ready({ json: { enabled: false } }),
  "POST /v1/games/{game}/seasons/{slug}/rounds": (_caller, n) => Effect.succeed({ json: roundBody(n) }),
  "PATCH /v1/games/{game}/seasons/{slug}/rounds/{n}": (_caller, n) =>
    Effect.map(made(A.urlOf(ours, "/rounds"), roundBody(n)), (round) => ({ names: { n: String(round.n) }, json: { games: 2 } })),
  "POST /v1/games/{game}/seasons/{slug}/admins": ready({ json: { username: "pat" } }),
  "DELETE /v1/games/{game}/seasons/{slug}/admins": () =>
    Effect.as(made(A.urlOf(ours, "/admins"), { username: "pat" }), { json: { username: "pat" } }),
  "POST /v1/runner-keys": ready({ json: { name: "spare" } }),
  "DELETE /v1/runner-keys/{key}": () => keyOf("/v1/runner-keys"),
  "DELETE /v1/runners/{runner}": () => runnerOf("/v1/runner-keys")
}

const ofSeason: Readonly<Record<string, Prepare>> = {
  ...ofSeasonWebhooks,
  "PATCH /v1/games/{game}/seasons/{slug}": (caller, n) =>
    Effect.map(fresh(caller, n), (at) => ({ ...at, json: { rules: { cooldown_s: 5 } } })),
  "PATCH /v1/games/{game}/seasons/{slug}/entry": (caller, n) =>
    Effect.map(fresh(caller, n), (at) => ({ ...at, json: { entry: "restricted" } })),
  "POST /v1/games/{game}/seasons/{slug}/close": fresh,
  "POST /v1/games/{game}/seasons/{slug}/participants": ready({ json: { logins: ["Eve"] } }),
  "DELETE /v1/games/{game}/seasons/{slug}/participants": (_caller, n) =>
    Effect.map(made(A.urlOf(ours, "/participants"), { logins: [`login-${n}`] }), ({ participants }) => ({
      json: { id: participants[0].id }
    })),
  "POST /v1/games/{game}/seasons/{slug}/maps": (_caller, n) => Effect.succeed({ json: board(n) }),
  "PATCH /v1/games/{game}/seasons/{slug}/maps/{map_id}": (_caller, n) =>
    Effect.as(made(A.urlOf(ours, "/maps"), board(n)), { names: { map_id: `board-${n}` }, json: { enabled: false } }),
  "POST /v1/games/{game}/seasons/{slug}/maps/import": ready({ json: { from: theirs } }),
  "POST /v1/games/{game}/seasons/{slug}/baselines": (_caller, n) => Effect.succeed({ json: { name: `recorded-${n}`, ...hashes(n) } }),
  "PATCH /v1/games/{game}/seasons/{slug}/baselines/{baseline}": Effect.fnUntraced(function* (_caller, n) {
    const { season } = yield* World
    yield* A.baseline(season, versionNumber(n), `admitted-${n}`)
    return { names: { baseline: `admitted-${n}` }, json: { enabled: false } }
  }),
  "POST /v1/games/{game}/seasons/{slug}/baselines/import": ready({ json: { from: theirs } }),
  "POST /v1/games/{game}/seasons/{slug}/matches/{id}/void": Effect.fnUntraced(function* (_caller, n) {
    const { season } = yield* World
    const id = Fixture.uuid("match", 7_000 + n)
    yield* A.finished(id, season)
    return { names: { id }, json: { reason: "The board was wrong." } }
  }),
  "POST /v1/games/{game}/seasons/{slug}/versions/{id}/disqualify": Effect.fnUntraced(function* (_caller, n) {
    const { season } = yield* World
    return { names: { id: yield* A.entry(season, versionNumber(n)) }, json: { reason: "It broke the rules.", void_matches: false } }
  }),
  "POST /v1/games/{game}/seasons/{slug}/versions/{id}/reinstate": Effect.fnUntraced(function* (_caller, n) {
    const { season } = yield* World
    return { names: { id: yield* A.baseline(season, versionNumber(n), `steady-${n}`) } }
  }),
  "POST /v1/games/{game}/seasons/{slug}/runner-keys": ready({ json: { name: "spare" } }),
  "DELETE /v1/games/{game}/seasons/{slug}/runner-keys/{key}": () => keyOf(A.urlOf(ours, "/runner-keys")),
  "DELETE /v1/games/{game}/seasons/{slug}/runners/{runner}": () => runnerOf(A.urlOf(ours, "/runner-keys")),
  "POST /v1/games/{game}/seasons/{slug}/notify": ready({ json: { subject: "Hello" } })
}

const rejected = { kind: "admission", runtime_version: "test", verdict: "rejected", reject_reason: "too_slow", reject_detail: "x" }
const ofRunners: Readonly<Record<string, Prepare>> = {
  "POST /v1/runner/sessions": ready({ json: aboutRunner }),
  "DELETE /v1/runner/sessions/{runner}": () =>
    Effect.flatMap(World, ({ keys }) => Effect.map(openRunner(keys.ours.secret), (runner) => ({ names: { runner } }))),
  "POST /v1/runner/leases": () => Effect.map(World, ({ keys }) => ({ json: { runner: keys.ours.runner, max: 0, wait_s: 0 } })),
  "POST /v1/runner/heartbeat": () => Effect.map(World, ({ keys }) => ({ json: { runner: keys.ours.runner, leases: [] } })),
  "POST /v1/runner/leases/{lease}/result": (_caller, n) => Effect.map(leased(n), (lease) => ({ names: { lease }, json: rejected })),
  "POST /v1/runner/leases/{lease}/release": (_caller, n) => Effect.map(leased(n), (lease) => ({ names: { lease }, json: {} }))
}

const requests: Readonly<Record<string, Prepare>> = {
  ...ofCompetitors,
  ...ofCommunity,
  ...ofAudience,
  ...ofPlatform,
  ...ofSeason,
  ...ofRunners
}

/** Routes that a line above is about. */
export const prepared: ReadonlyArray<string> = Object.keys(requests)

export interface Sending {
  readonly method: string
  readonly url: string
  readonly json?: unknown
  readonly session?: string
}

/** A request of the row that only who asks can make fail. */
export const prepare = (row: Row, caller: Caller, n: number): Effect.Effect<Sending, never, Needs> =>
  Effect.map((requests[routeOf(row)] ?? ready({}))(caller, n), ({ json, names = {}, query = "", session }) => {
    const all = { ...namesOf(row), ...names }
    const url = row.path.replace(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(all[key] ?? assert.fail(`${routeOf(row)} needs ${key}: it has no line in RoleRequests.ts`))
    )
    return {
      method: row.method,
      url: `${url}${query}`,
      ...(json === undefined ? {} : { json }),
      ...(session === undefined ? {} : { session })
    }
  })
