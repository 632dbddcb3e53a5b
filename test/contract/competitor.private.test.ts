/** Private seasons: what their members read, and that to everybody else they are seasons that were never made. */

import { Api } from "@agon/api/Api.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { slow } from "../support/slow.ts"
import type { Answered, Call } from "../support/Web.ts"

const { matchIds: x, modelIds: m, seasonIds, uuid, versionIds: v } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const here = "/v1/games/snakes"
/** Every member's read, of a season and of what is in it. */
const readsOf = (season: string, ids: { readonly model: string; readonly version: string; readonly match: string }) => [
  `${here}/seasons`,
  `${here}/seasons/${season}`,
  `${here}/leaderboard?season=${season}`,
  `${here}/leaderboard?season=${season}&ladder=nano&limit=1`,
  `${here}/leaderboard/series?season=${season}`,
  `${here}/leaderboard/matrix?season=${season}`,
  `${here}/seasons/${season}/maps`,
  `${here}/seasons/${season}/maps?boards=true&enabled=true`,
  `${here}/seasons/${season}/maps/duel`,
  `${here}/seasons/${season}/podium`,
  `${here}/seasons/${season}/playing`,
  `/v1/models/${ids.model}`,
  `/v1/models/${ids.model}/season?season=${season}`,
  `/v1/models/${ids.model}/maps?season=${season}`,
  `/v1/models/${ids.model}/rivals`,
  `/v1/versions/${ids.version}`,
  `/v1/matches?season=${season}`,
  `/v1/matches?version=${ids.version}`,
  `/v1/matches/${ids.match}`,
  `/v1/matches/${ids.match}/frame`,
  `/v1/matches/${ids.match}/related`,
  `/v1/threads?match=${ids.match}`
]
const privately = (path: string) => path.replace("/v1/", "/v1/private/")
/** Series and replay links are dated by the moment of the answer. */
const undated = (text: string) => text.replace(/"points":\[[^\]]*\]/, "").replace(/"replay_url":"[^"]*"/, "")

const springIds = { model: m.gamma, version: v.gamma1, match: x.open }
const secretIds = { model: m.secretBase, version: v.alphaSecret, match: x.secret }
const byAll = (path: string, call: Call = {}) =>
  Effect.forEach(["nobody", "bob"], (as) => A.ask(path, as === "nobody" ? call : { ...call, as }))

layer(web, A.options)("members' reads", (it) => {
  it.effect("answer as the public routes do, and are never kept", () =>
    Effect.gen(function* () {
      for (const path of readsOf("spring", springIds)) {
        const open = yield* A.ask(path)
        assert.strictEqual(open.status, 200, path)
        for (const answer of yield* byAll(privately(path))) {
          assert.strictEqual(answer.status, 200, path)
          assert.strictEqual(undated(answer.text), undated(open.text), path)
          assert.strictEqual(answer.headers.get("cache-control"), "no-store", path)
          assert.isNull(answer.headers.get("etag"), path)
        }
      }
    })
  )

  it.effect("show a private season to its participants, its administrators and those of the platform", () =>
    Effect.gen(function* () {
      const lists = yield* Effect.forEach(["ada", "root", "bob"], (as) => A.read(`/v1/private${here.slice(3)}/seasons`, as))
      const names = lists.map(({ json }) => json.map(({ slug }: any) => slug))
      const all = ["autumn", "secret", "spring", "winter"]
      assert.deepStrictEqual(names, [all, all, all.filter((slug) => slug !== "secret")])
      for (const as of ["ada", "root"]) {
        for (const path of readsOf("secret", secretIds)) {
          const { status, text } = yield* A.read(privately(path), as)
          assert.strictEqual(status, 200, `${path} ${text}`)
          assert.notStrictEqual(text, "null", path)
          assert.notStrictEqual(text, (yield* A.read(privately(path), "bob")).text, path)
          if (!path.endsWith("/seasons")) assert.notStrictEqual(text, (yield* A.read(path, as)).text, "the public route knows no members")
        }
      }
      yield* A.rows`INSERT INTO season_admin (season_id, account_id, added_at)
        SELECT ${seasonIds.secret}, id, now() FROM account WHERE username = 'bob'`
      assert.strictEqual((yield* A.read(`/v1/private/matches/${x.secret}`, "bob")).status, 200)
      yield* A.rows`DELETE FROM season_admin WHERE season_id = ${seasonIds.secret}`
      assert.strictEqual((yield* A.read(`/v1/private/matches/${x.secret}`, "bob")).status, 404)
    })
  )

  it.effect("tell a model's rivals and record in a private season to those who see it, and to others what everybody reads", () =>
    Effect.gen(function* () {
      const rivalsFor = (as: string) => Effect.map(A.read(`/v1/private/models/${m.hidden}/rivals`, as), ({ json }) => json)
      for (const as of ["ada", "root"]) {
        const { rivals, total } = yield* rivalsFor(as)
        assert.strictEqual(total, 1)
        assert.deepInclude(rivals[0], { model_id: m.alpha, model: "Alpha", owner: "ada", played: 1, wins: 0, draws: 0, losses: 1 })
      }
      assert.deepStrictEqual(yield* rivalsFor("bob"), { rivals: [], total: 0, next_cursor: null })
      const ofAlpha = (yield* A.read(`/v1/private/models/${m.alpha}/rivals`, "ada")).json.rivals
      assert.deepStrictEqual(
        ofAlpha.map(({ model, played }: any) => [model, played]),
        [
          ["Beta", 3],
          ["Gamma", 1],
          ["Hidden", 1]
        ],
        "of public and private seasons together"
      )
      const record = yield* A.read(`/v1/private/models/${m.alpha}/season?season=secret`, "ada")
      assert.deepInclude(record.json, { season: "secret", class: "nano", ladder: "open", rank: 1 })
      assert.deepInclude(record.json.best, { match: x.secret, outcome: "win", rating_change: 5 })
      const others = yield* A.read(`/v1/private/models/${m.alpha}/season?season=secret`, "bob")
      assert.deepStrictEqual([others.status, others.json.code], [404, "unknown_season"])
    })
  )

  it.effect("without a season speak of the featured one, which is never private", () =>
    Effect.gen(function* () {
      yield* A.rows`UPDATE season SET submissions_open_at = '2020-01-01' WHERE slug = 'secret'` // newer than every public one
      for (const path of [`${here}/leaderboard`, `${here}/leaderboard/series`, "/v1/matches?game=snakes", "/v1/matches"]) {
        assert.strictEqual((yield* A.read(privately(path), "ada")).json.season, "autumn", path)
      }
      const { versions } = (yield* A.read(`/v1/private/models/${m.alpha}`, "ada")).json
      assert.deepStrictEqual(
        versions.map(({ season }: any) => season),
        ["winter", "secret", "spring", "spring"]
      )
    })
  )
})

/** Things of a hidden season, and those of the same form that were never made. */
type Pairs = Readonly<Record<"slug" | "season" | "models" | "versions" | "matches" | "comments", Pair>>
const pairs: Pairs = {
  slug: ["secret", "unmade"],
  season: ["secret", "unmade"],
  models: [m.secretBase, uuid("model", 999)],
  versions: [v.hiddenSecret, uuid("version", 999)],
  matches: [x.secret, uuid("match", 999)],
  comments: [uuid("comment", 8), uuid("comment", 999)]
}
type Pair = readonly [hidden: string, unmade: string]
type Collection = "models" | "versions" | "matches" | "comments"

/** The rest of a path's names, so that it would be found if the season were. */
const others: Readonly<Record<string, string>> = {
  game: "snakes",
  map_id: "duel",
  baseline: "base",
  n: "1",
  key: uuid("key", 1),
  runner: uuid("runner", 1)
}

interface Asked {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly json?: unknown
}

/** Both questions of each way in which an operation can be asked about a season or something in it. */
const questions = (pairs: Pairs): ReadonlyArray<readonly [hidden: Asked, unmade: Asked]> => {
  const { paths } = OpenApi.fromApi(Api) as { readonly paths: Record<string, Record<string, any>> }
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const route = `${method.toUpperCase()} ${template}`
      const asked = (path: string, json?: unknown): Asked => ({ route, method: method.toUpperCase(), path, json })
      const both = (pair: Pair, make: (name: string) => Asked) => [[make(pair[0]), make(pair[1])] as const]
      const collection = /\/(models|versions|matches|comments)\/\{id\}/.exec(template)?.[1] as Collection | undefined
      const named: Pair | undefined = template.includes("{slug}") ? pairs.slug : collection === undefined ? undefined : pairs[collection]
      const fill = (path: string, name: string) =>
        path.replace(/\{(\w+)\}/g, (_, key: string) => (key === "slug" || key === "id" ? name : (others[key] ?? "x")))
      const inPath = named === undefined ? [] : both(named, (name) => asked(fill(template, name), operation.requestBody && {}))
      const query: ReadonlyArray<string> = (operation.parameters ?? []).filter((one: any) => one.in === "query").map((one: any) => one.name)
      const inQuery = query.flatMap((name) => {
        const pair = { season: pairs.season, model: pairs.models, version: pairs.versions, match: pairs.matches }[name]
        return pair === undefined ? [] : both(pair, (value) => asked(`${fill(template, m.alpha)}?${name}=${value}`))
      })
      const bodies = inBodies.filter((one) => one.route === route)
      const inBody = bodies.flatMap(({ make, of = "season" }) => both(pairs[of], (name) => asked(template, make(name))))
      const reported = route.endsWith("/reports") ? both(pairs.comments, (name) => asked(fill(template, name), { reason: "x" })) : []
      return [...inPath, ...inQuery, ...inBody, ...reported]
    })
  )
}

const hash = `sha256:${"1".repeat(64)}`
const submission = { game: "snakes", model: m.beta, weights_hash: hash, manifest_hash: hash }
const reentry = { game: "snakes", model: m.beta, season: "spring", from: "spring" }
const comment = { body: "x" }
const inBodies: ReadonlyArray<{ readonly route: string; readonly of?: keyof Pairs; readonly make: (name: string) => unknown }> = [
  { route: "POST /v1/threads/comments", of: "matches", make: (match) => ({ ...comment, match }) },
  { route: "POST /v1/threads/comments", of: "models", make: (model) => ({ ...comment, model }) },
  { route: "POST /v1/threads/comments", of: "comments", make: (parent_id) => ({ ...comment, match: x.nano, parent_id }) },
  { route: "POST /v1/submissions", make: (season) => ({ ...submission, season }) },
  { route: "POST /v1/submissions/reenter", make: (season) => ({ ...reentry, season }) },
  { route: "POST /v1/submissions/reenter", make: (from) => ({ ...reentry, from }) }
]

/** All of an answer but its own id and the name that was asked about. */
const faceOf = ({ headers, status, text }: Answered, name: string) => {
  const { "x-request-id": _, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, text: undated(text).replaceAll(name, "it") }
}

/** A comment of ada's, that everybody who sees the match can read. */
const discussed = Effect.fnUntraced(function* (n: number, season_id: string, match_id: string) {
  const [ada] = yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'ada'`
  const thread = { id: uuid("thread", n), match_id, season_id, ended_at: A.past, created_at: A.past, locked: false, comments: 1 }
  const published = { state: "published", published_at: A.past, approved_at: A.past }
  const comment = { id: uuid("comment", n), thread_id: thread.id, account_id: ada!.id, body: "Hush.", reports: 0, created_at: A.past }
  yield* Fixture.insert("thread", [thread])
  yield* Fixture.insert("comment", [{ ...comment, ...published }])
  return comment.id
})

/** The hidden and the never made answer alike, each named by what the question says of it. */
const alike = Effect.fnUntraced(function* (asked: ReturnType<typeof questions>, of: Pairs, as: string | undefined) {
  const called = ({ json, path }: Asked, side: 0 | 1) =>
    Object.values(of)
      .map((pair) => pair[side])
      .find((name) => `${path}${JSON.stringify(json)}`.includes(name))!
  const ask = ({ json, method, path }: Asked) =>
    A.ask(path, { method, ...(as === undefined ? {} : { as }), ...(json === undefined ? {} : { json }) })
  for (const [hidden, unmade] of asked) {
    const [one, other] = [yield* ask(hidden), yield* ask(unmade)]
    assert.deepStrictEqual(faceOf(one, called(hidden, 0)), faceOf(other, called(unmade, 1)), `${hidden.method} ${hidden.path} as ${as}`)
    assert.notStrictEqual(one.status, 500, hidden.path)
  }
})

layer(web, A.options)("a hidden season", (it) => {
  const asked = questions(pairs)

  it("is asked about in every way there is", () => {
    assert.isAbove(asked.length, 60)
    for (const route of [
      "GET /v1/matches",
      "POST /v1/submissions",
      "PATCH /v1/games/{game}/seasons/{slug}",
      "GET /v1/private/models/{id}"
    ]) {
      assert.isTrue(
        asked.some(([one]) => one.route === route),
        route
      )
    }
  })

  it.effect("and all that is in it answer to others exactly as what was never made", () =>
    Effect.gen(function* () {
      const page = (yield* A.ask("/v1/profiles/ada/comments")).text
      yield* discussed(8, seasonIds.secret, x.secret)
      yield* Effect.flatMap(ResponseCache, ({ purgeAll }) => purgeAll)
      assert.strictEqual((yield* A.ask("/v1/profiles/ada/comments")).text, page)
      for (const as of [undefined, "bob"]) yield* alike(asked, pairs, as)
    })
  )

  it.effect("is told from one that was never made by those who see it", () =>
    Effect.gen(function* () {
      const told = yield* Effect.filter(asked, ([hidden, unmade]) =>
        Effect.gen(function* () {
          if (hidden.method !== "GET") return false
          const [one, other] = [yield* A.read(hidden.path), yield* A.read(unmade.path)]
          return one.status !== other.status || one.json === null || undated(one.text) !== undated(other.text)
        })
      )
      assert.isAbove(told.length, 25)
    })
  )
})

/** Rows of a private season `n`: a baseline with a version, and a match of it; nobody who asks owns any of it. */
const furnished = Effect.fnUntraced(function* (n: number, slug: string, change: Fixture.Row) {
  const ids = { season: uuid("season", n), model: uuid("model", n), version: uuid("version", n), match: uuid("match", n) }
  yield* Fixture.insert("season", [Fixture.season(ids.season, slug, { visibility: "private", ...change })])
  const copy = (table: string, from: string, of: Fixture.Row) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`INSERT INTO ${table} SELECT (jsonb_populate_record(row, $1::text::jsonb)).* FROM ${table} row WHERE ${from}`, [
        JSON.stringify(of)
      ])
    )
  const of = { season_id: ids.season }
  yield* copy("model", `id = '${m.secretBase}'`, { id: ids.model, baseline_season: ids.season })
  yield* copy("version", `id = '${v.hiddenSecret}'`, { ...of, id: ids.version, model_id: ids.model, owner_id: null, ord: n })
  yield* copy("board", `season_id = '${seasonIds.secret}'`, of)
  yield* copy("match", `id = '${x.secret}'`, { ...of, id: ids.match })
  yield* copy("seat", `match_id = '${x.secret}'`, {
    ...of,
    match_id: ids.match,
    model_id: ids.model,
    version_id: ids.version,
    owner_id: null
  })
  yield* copy("live", `id = '${x.playing}'`, { ...of, id: uuid("match", n + 500) })
  const said = yield* discussed(n, ids.season, ids.match)
  const made = Object.fromEntries(Object.entries(pairs).map(([key, [, unmade]]) => [key, unmade]))
  const hidden: Readonly<Record<string, string>> = { models: ids.model, versions: ids.version, matches: ids.match, comments: said }
  return Object.fromEntries(Object.entries(made).map(([key, unmade]) => [key, [hidden[key] ?? slug, unmade]])) as unknown as Pairs
})

/** Everybody who is nearly one of those that may see the season. */
const nearly = Effect.fnUntraced(function* (season: string) {
  const roster = [
    ["lab", "bob"], // of a provider at which he has no identity
    ["hub", "bobby"],
    ["dev", "bob "]
  ] as const
  const row = ([provider, login]: (typeof roster)[number], i: number) => {
    const id = uuid("participant", 100 + 10 * Number(season.slice(-2)) + i)
    return { id, season_id: season, provider, login, added_at: A.past }
  }
  yield* Fixture.insert("participant", roster.map(row))
})

layer(web, A.options)("seasons that are hidden in whatever state", (it) => {
  it.effect("do not exist for whoever may not see them, be it nearly, formerly or of another season that they may", () =>
    Effect.gen(function* () {
      const past = { submissions_open_at: "2025-01-01T00:00:00Z", submissions_close_at: "2025-06-01T00:00:00Z" }
      const states = {
        // names as long as that of the season never made
        veiled: past,
        buried: { ...past, close_requested_at: A.past, closed_at: A.past },
        unborn: { submissions_open_at: A.later, submissions_close_at: A.latest }
      }
      yield* A.rows`INSERT INTO season_admin (season_id, account_id, added_at)
        SELECT s.id, a.id, now() FROM account a, season s WHERE a.username = 'bob' AND s.slug IN ('spring', 'winter')`
      for (const [i, [slug, change]] of Object.entries(states).entries()) {
        const hidden = yield* furnished(70 + i, slug, change)
        const season = uuid("season", 70 + i)
        yield* nearly(season)
        // Once on the roster, and no more.
        const added = { id: uuid("participant", 90 + i), season_id: season, provider: "hub", login: "BOB", added_at: A.past }
        yield* Fixture.insert("participant", [added])
        assert.strictEqual((yield* A.read(`/v1/private/versions/${hidden.versions[0]}`, "bob")).status, 200, slug)
        yield* A.rows`DELETE FROM participant WHERE id = ${added.id}`
        const asked = questions(hidden)
        for (const as of [undefined, "bob", "ada"]) yield* alike(asked, hidden, as)
      }
    })
  )
})

/** Postgres plans a prepared statement anew so often on a connection, and may settle on another plan after that. */
const PLANNED_ANEW = 5

/** A lookup's index scans of each table: as long as that is the same, so is the time. */
const scans = Effect.fnUntraced(function* (lookup: Effect.Effect<unknown, unknown, any>) {
  const sql = yield* SqlClient.SqlClient
  const counted = sql<{ readonly table: string; readonly scans: number }>`
    SELECT relname AS table, coalesce(idx_scan, 0)::int + seq_scan::int AS scans FROM pg_stat_xact_user_tables
    WHERE relname IN ('season', 'account', 'season_admin', 'identity', 'participant') ORDER BY relname`
  const settled = Effect.repeat(Effect.exit(lookup), { times: PLANNED_ANEW })
  const [, before, , after] = yield* sql.withTransaction(Effect.all([settled, counted, Effect.exit(lookup), counted]))
  return Object.fromEntries(after.map(({ scans, table }, i) => [table, scans - before[i]!.scans]))
})

layer(web, A.options)("a season's slug, which can be guessed,", (it) => {
  it.effect("is looked up by the same steps whether a hidden season has it or none", () =>
    Effect.gen(function* () {
      const seasons = yield* Seasons
      const [bob] = yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'bob'`
      const account = { id: bob!.id, session_id: "", username: "bob", admin: false }
      for (const lookup of [
        (slug: string) => seasons.find("snakes", slug, account.id),
        (slug: string) => seasons.forAdmin(account, "snakes", slug),
        (slug: string) => seasons.findAnywhere(slug, account.id)
      ]) {
        const [hidden, unmade] = [yield* scans(lookup("secret")), yield* scans(lookup("unmade"))]
        assert.isAbove(hidden["participant"]!, 0)
        assert.deepStrictEqual(hidden, unmade)
      }
    })
  )

  it.effect.skipIf(!slow)("takes as long to be refused, the median of many, to a twentieth", () =>
    Effect.gen(function* () {
      const timed = Effect.fnUntraced(function* ({ json, method, path }: Asked) {
        const begun = performance.now()
        yield* A.ask(path, { as: "bob", method, ...(json === undefined ? {} : { json }) })
        return performance.now() - begun
      })
      const get = (path: string) => (slug: string) => ({ route: path, method: "GET", path: path.replace("{}", slug) })
      for (const ask of [
        get("/v1/private/games/snakes/leaderboard?season={}"),
        get("/v1/games/snakes/seasons/{}/audit"),
        (season: string): Asked => ({ route: "", method: "POST", path: "/v1/submissions", json: { ...submission, season } })
      ]) {
        const differences: Array<number> = []
        const times: Array<number> = []
        for (let i = 0; i < 600; i++) {
          const order = i % 2 === 0 ? ["secret", "unmade"] : ["unmade", "secret"]
          const [one, other] = [yield* timed(ask(order[0]!)), yield* timed(ask(order[1]!))]
          if (i < 100) continue // what is compiled is compiled by then
          differences.push(i % 2 === 0 ? one - other : other - one)
          times.push(one)
        }
        const median = (of: ReadonlyArray<number>) => of.toSorted((a, b) => a - b)[of.length >> 1]!
        assert.isBelow(Math.abs(median(differences)), median(times) / 20, ask("x").path)
      }
    })
  )
})
