/**
 * Reads and edits of competitors about themselves, and the records of models and ladders,
 * over rows in a real Postgres.
 */

import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { AdminHandlers } from "@agon/server/admin/http.ts"
import { PlatformStatus } from "@agon/server/admin/PlatformStatus.ts"
import { Users } from "@agon/server/admin/Users.ts"
import { Boards } from "@agon/server/board/Boards.ts"
import { BoardHandlers } from "@agon/server/board/http.ts"
import { Comments } from "@agon/server/comment/Comments.ts"
import { Moderation } from "@agon/server/comment/Moderation.ts"
import { type AllHandlers, MaxBody, makeRoutes } from "@agon/server/Http.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import * as JoinedLookups from "@agon/server/JoinedLookups.ts"
import { LeaderboardHandlers } from "@agon/server/leaderboard/http.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { ModelHandlers } from "@agon/server/model/http.ts"
import { Models } from "@agon/server/model/Models.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { SeasonHandlers } from "@agon/server/season/http.ts"
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

const { at, insert, matchIds: x, modelIds: m, rating, seasonIds, uuid, versionIds: v } = Fixture

const Objects = Layer.mock(ObjectStore, { presignGet: ({ key }) => Effect.succeed(`https://objects.test/${key}`) })
const reads = Layer.mergeAll(
  Matches.layer.pipe(Layer.provide(Replays.layer), Layer.provide(Objects)),
  Models.layer,
  Boards.layer,
  Leaderboards.layer,
  PlatformStatus.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Forecasts.layer, Versions.layer, Seasons.layer)),
  Layer.provide([Fixture.layer, Layer.mock(SeasonActors, { forecast: () => Effect.succeed([]) })])
)
const handlers = Layer.mergeAll(
  AccountHandlers.pipe(Layer.provide([Providers.layer([]), Layer.mock(SignIn, {})])),
  ...[AdminHandlers, BoardHandlers, LeaderboardHandlers, MatchHandlers, ModelHandlers, SeasonHandlers, VersionHandlers],
  unserved("account", "admin", "board", "leaderboard", "match", "model", "season", "version")
).pipe(Layer.provide(reads))
const web = Web.layer(makeRoutes(handlers as Layer.Layer<AllHandlers, never, Layer.Services<typeof handlers>>)).pipe(
  Layer.provide([MaxBody, HttpServer.layerServices]),
  Layer.provideMerge(
    JoinedLookups.layer.pipe(
      Layer.provide(reads),
      Layer.provide([Layer.mock(Announcements, {}), Layer.mock(Posts, {}), Layer.mock(Stories, {}), Layer.mock(Webhooks, {})]),
      Layer.provide([Layer.mock(RunnerKeys, {}), Layer.mock(Comments, {}), Layer.mock(Moderation, {}), Layer.mock(Users, {})])
    )
  ),
  Layer.provideMerge(core())
)

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
const read = (path: string, as?: string) => Effect.map(as === undefined ? call(path) : call(path, { as }), ({ json }) => json)
const refusal = ({ json, status }: { readonly json: any; readonly status: number }) => `${status} ${json.code}`
const edit = (path: string, json: unknown, as = "ada") => call(path, { method: "PATCH", as, json })
const nothing = (kind: "model" | "version" | "match") => uuid(kind, 999)
const minutes = (days: number) => days * 24 * 60

layer(web)("the records of models", (it) => {
  it.effect("a model's season: its rank now and a week ago, its best, its worst and its last five", () =>
    Effect.gen(function* () {
      const point = (minute: number, versions: ReadonlyArray<string>) => ({
        season_id: seasonIds.spring,
        ladder: "open",
        at: at(minute),
        versions,
        mus: versions.map((_, i) => 30 - i)
      })
      yield* insert("series_point", [
        point(-minutes(9), [v.beta1]),
        point(-minutes(8), [v.beta1, v.random, v.alpha1]),
        point(-minutes(6), [v.alpha2, v.beta1, v.random])
      ])
      const result = (match: string, outcome: string, rank: number, rating_change: number, minute: number) =>
        ({ match, outcome, rank, rating_change, played_at: at(minute) }) as const
      const won = result(x.nano, "win", 1, 4.44, -89)
      const drawn = result(x.open, "draw", 1, 2, -88)
      assert.deepStrictEqual(yield* read(`/v1/models/${m.alpha}/season`), {
        season: "spring",
        class: "nano",
        ladder: "open",
        rank: 2,
        rank_week_ago: 3,
        best: won,
        worst: drawn,
        last: [drawn, won]
      })
      const nano = yield* read(`/v1/models/${m.alpha}/season?season=spring&ladder=nano`)
      const onNano = { ...won, rating_change: 8.13 }
      assert.deepStrictEqual(nano, {
        season: "spring",
        class: "nano",
        ladder: "nano",
        rank: 1,
        rank_week_ago: null,
        best: onNano,
        worst: onNano,
        last: [onNano]
      })
      assert.deepStrictEqual(yield* read(`/v1/models/${m.hidden}/season`), {
        season: "spring",
        class: null,
        ladder: "open",
        rank: null,
        rank_week_ago: null,
        best: null,
        worst: null,
        last: []
      })
      for (const [path, expected] of [
        [`/v1/models/${nothing("model")}/season`, "404 not_found"],
        [`/v1/models/${m.secretBase}/season`, "404 not_found"],
        ["/v1/models/alpha/season", "404 not_found"],
        [`/v1/models/${m.alpha}/season?season=secret`, "404 unknown_season"],
        [`/v1/models/${m.alpha}/season?season=none`, "404 unknown_season"],
        [`/v1/models/${m.alpha}/season?ladder=huge`, "400 invalid_request"]
      ] as const) {
        assert.strictEqual(refusal(yield* call(path)), expected, path)
      }
    })
  )

  it.effect("a model's rivals: who was ranked before whom, in counted matches of public seasons", () =>
    Effect.gen(function* () {
      const rival = (model_id: string, model: string, played: number, wins: number, draws: number, losses: number, minute: number) =>
        ({ model_id, model, owner: "bob", played, wins, draws, losses, last_played_at: at(minute) }) as const
      const { rivals, ...rest } = yield* read(`/v1/models/${m.alpha}/rivals`)
      assert.deepStrictEqual(rest, { total: 2, next_cursor: null })
      assert.deepStrictEqual(rivals, [rival(m.beta, "Beta", 3, 1, 1, 1, -88), rival(m.gamma, "Gamma", 1, 1, 0, 0, -88)])
      const first = yield* read(`/v1/models/${m.alpha}/rivals?limit=1`)
      assert.deepStrictEqual([first.rivals.length, first.total, first.next_cursor], [1, 2, "1"])
      assert.deepStrictEqual(yield* read(`/v1/models/${m.alpha}/rivals?cursor=7`), { rivals: [], total: 2, next_cursor: null })
      assert.deepStrictEqual(yield* read(`/v1/models/${m.hidden}/rivals`), { rivals: [], total: 0, next_cursor: null })
      for (const id of [nothing("model"), m.secretBase, "alpha"]) {
        assert.strictEqual(refusal(yield* call(`/v1/models/${id}/rivals`)), "404 not_found", id)
      }
      assert.strictEqual(refusal(yield* call(`/v1/models/${m.alpha}/rivals?cursor=x`)), "400 invalid_cursor")
    })
  )

  it.effect("a model on the boards of a season: means over its counted matches", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<Record<string, number | string>>`
        SELECT b.map_id, b.players, count(*)::int AS matches, round(avg(x.rank), 2)::float8 AS mean_rank, round(avg(x.score), 2)::float8 AS mean_score,
          round(avg(CASE WHEN m.ladder = 'open' THEN x.made_change ELSE coalesce(x.open_change, 0) END)::numeric, 2)::float8 AS mean_rating_change
        FROM seat x JOIN match m ON m.id = x.match_id JOIN board b ON b.season_id = m.season_id AND b.map_id = m.map_id
        WHERE x.model_id = ${m.alpha} AND m.season_id = ${seasonIds.spring} AND m.status = 'rated' GROUP BY 1, 2, b.ord ORDER BY b.ord`
      // However many versions after it were rejected: none of them has played a match that counts.
      yield* sql`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'ord', 7000 + i,
        'number', 7000 + i, 'status', 'rejected'))).* FROM version v, generate_series(1, 60) i
        WHERE v.model_id = ${m.alpha} AND v.season_id = ${seasonIds.spring} AND v.status = 'entered'`
      const path = `/v1/models/${m.alpha}/maps`
      assert.deepStrictEqual(yield* read(`${path}?season=spring`), { season: "spring", maps: rows })
      assert.isNotEmpty(rows)
      assert.deepStrictEqual(yield* read(path), yield* read(`${path}?season=spring`), "the featured season")
      assert.deepStrictEqual(yield* read(`${path}?season=autumn`), { season: "autumn", maps: [] })
      for (const [asked, expected] of [
        [`/v1/models/${nothing("model")}/maps`, "404 not_found"],
        ["/v1/models/alpha/maps", "404 not_found"],
        [`/v1/models/${m.secretBase}/maps`, "404 not_found"],
        [`${path}?season=secret`, "404 unknown_season"]
      ] as const) {
        assert.strictEqual(refusal(yield* call(asked)), expected, asked)
      }
      yield* sql`DELETE FROM version WHERE number > 7000`
    })
  )

  it.effect("the top of a ladder against each other: every counted match of the season once for each of the two", () =>
    Effect.gen(function* () {
      const path = "/v1/games/snakes/leaderboard/matrix"
      const { entries, ...rest } = yield* read(`${path}?season=spring`)
      assert.deepStrictEqual(rest, { season: "spring", season_name: "Season spring", ladder: "open" })
      const board = yield* read("/v1/games/snakes/leaderboard?season=spring")
      const brief = ({ model, model_id, owner, rank, rating, version_id }: any) => ({ rank, version_id, model_id, model, owner, rating })
      assert.deepStrictEqual(entries.map(brief), board.entries.map(brief))
      const sql = yield* SqlClient.SqlClient
      const met = yield* sql<{ one: string; other: string; wins: number; draws: number; losses: number }>`
        SELECT x.model_id AS one, y.model_id AS other, count(*) FILTER (WHERE x.rank < y.rank)::int AS wins,
          count(*) FILTER (WHERE x.rank = y.rank)::int AS draws, count(*) FILTER (WHERE x.rank > y.rank)::int AS losses
        FROM seat x JOIN seat y ON y.match_id = x.match_id AND y.seat <> x.seat JOIN match m ON m.id = x.match_id
        WHERE m.season_id = ${seasonIds.spring} AND m.status = 'rated' GROUP BY 1, 2`
      const found = new Map(met.map(({ one, other, ...record }) => [`${one} ${other}`, record]))
      for (const { against, model_id } of entries) {
        const expected = entries.map(({ model_id: other }: any) =>
          other === model_id ? null : (found.get(`${model_id} ${other}`) ?? { wins: 0, draws: 0, losses: 0 })
        )
        assert.deepStrictEqual(against, expected)
      }
      assert.isTrue(entries.some(({ against }: any) => against.some((record: any) => record?.wins > 0)))
      const two = yield* read(`${path}?season=spring&limit=2`)
      assert.deepStrictEqual(
        two.entries,
        entries.slice(0, 2).map((entry: any) => ({ ...entry, against: entry.against.slice(0, 2) }))
      )
      assert.deepStrictEqual((yield* read(`${path}?season=autumn&ladder=nano`)).entries, [])
      for (const [query, expected] of [
        ["season=secret", "404 unknown_season"],
        ["ladder=huge", "400 invalid_request"],
        ["limit=0", "400 invalid_request"]
      ] as const) {
        assert.strictEqual(refusal(yield* call(`${path}?${query}`)), expected, query)
      }
      assert.strictEqual(refusal(yield* call("/v1/games/go/leaderboard/matrix")), "404 unknown_game")
    })
  )

  it.effect("the course of a ladder: 48 moments from the season's opening to now, null before an entry stood there", () =>
    Effect.gen(function* () {
      const { entries, ladder, points, season } = yield* read("/v1/games/snakes/leaderboard/series?season=spring")
      assert.deepStrictEqual([season, ladder, points.length, points[0], points[47]], ["spring", "open", 48, at(-40_000), at(0)])
      const steps = points.slice(1).map((point: string, i: number) => Date.parse(point) - Date.parse(points[i]!))
      assert.isAtMost(Math.max(...steps) - Math.min(...steps), 1)
      assert.deepStrictEqual(
        entries.map(({ model, owner }: any) => [model, owner]),
        [
          ["Beta", "bob"],
          ["Alpha", "ada"],
          ["Gamma", "bob"],
          ["random", null]
        ]
      )
      const [beta, alpha, gamma] = entries
      assert.deepStrictEqual([beta.ranks.at(-1), beta.ratings.at(-1)], [1, 1_520])
      assert.deepStrictEqual([beta.ranks[0], beta.ratings[0]], [null, null])
      const weekAgo = points.findLastIndex((point: string) => Date.parse(point) < -minutes(8) * 60_000)
      assert.deepStrictEqual([beta.ranks[weekAgo], alpha.ranks[weekAgo], beta.ratings[weekAgo]], [1, null, 1_530])
      assert.deepStrictEqual([beta.ranks[46], alpha.ranks[46], alpha.ratings[46]], [2, 1, 1_530])
      assert.deepStrictEqual(
        gamma.ranks.filter((rank: number | null) => rank !== null),
        [3]
      )
      const autumn = yield* read("/v1/games/snakes/leaderboard/series?season=autumn&ladder=nano")
      assert.deepStrictEqual(autumn, { season: "autumn", ladder: "nano", points: [], entries: [] })
      const winter = yield* read("/v1/games/snakes/leaderboard/series?season=winter")
      assert.strictEqual(winter.points[47], at(-45_000))
      for (const [path, expected] of [
        ["/v1/games/go/leaderboard/series", "404 unknown_game"],
        ["/v1/games/snakes/leaderboard/series?season=secret", "404 unknown_season"],
        ["/v1/games/othello/leaderboard/series", "404 unknown_season"],
        ["/v1/games/snakes/leaderboard/series?ladder=huge", "400 invalid_request"]
      ] as const) {
        assert.strictEqual(refusal(yield* call(path)), expected, path)
      }
    })
  )

  it.effect("the course of a ladder shows the best fifty", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 60 }, (_, i) => uuid("version", 1_000 + i))
      yield* run(`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', n.id, 'ord', 1000 + n.i, 'number', 1000 + n.i))).*
        FROM version v, unnest(string_to_array('${many.join()}', ',')::uuid[]) WITH ORDINALITY n(id, i) WHERE v.id = '${v.alpha1}'`)
      yield* insert(
        "rating",
        many.map((id, i) => rating(id, "mini", 100 - i))
      )
      const { entries } = yield* read("/v1/games/snakes/leaderboard/series?season=spring&ladder=mini")
      assert.deepStrictEqual([entries.length, entries[49].ratings.at(-1)], [50, 1_551])
    })
  )
})

layer(web)("what competitors read and edit of theirs", (it) => {
  it.effect("a profile: models, and where they stand in public seasons", () =>
    Effect.gen(function* () {
      const { models, standings, ...rest } = yield* read("/v1/profiles/ada")
      assert.deepStrictEqual(rest, { username: "ada", display_name: "Ada", bio: "", created_at: "2026-01-01T00:00:00.000Z" })
      assert.deepStrictEqual(
        models.map(({ id, ...model }: any) => [id, model]),
        [
          [m.alpha, { name: "Alpha", game: "snakes", retired: false }],
          [m.delta, { name: "Delta", game: "snakes", retired: false }],
          [m.hidden, { name: "Hidden", game: "snakes", retired: false }]
        ]
      )
      const standing = (season: string, ladder: string, rank: number, figure: number, version_id: string) =>
        ({ game: "snakes", season, ladder, rank, rating: figure, model_id: m.alpha, version_id }) as const
      assert.deepStrictEqual(standings, [
        standing("spring", "nano", 1, 1_550, v.alpha2),
        standing("spring", "open", 2, 1_510, v.alpha2),
        standing("winter", "nano", 1, 1_530, v.alphaWinter),
        standing("winter", "open", 2, 1_501, v.alphaWinter)
      ])
      for (const name of ["nobody", "%00", "ADA", "%F0%9F%90%8D"]) {
        assert.strictEqual(refusal(yield* call(`/v1/profiles/${name}`)), "404 not_found", name)
      }
    })
  )

  it.effect("the console's probe lets platform administrators pass", () =>
    Effect.gen(function* () {
      const probed = yield* call("/v1/admin-check", { as: "root" })
      assert.deepStrictEqual([probed.status, probed.json], [200, { admin: true }])
      assert.strictEqual(refusal(yield* call("/v1/admin-check", { as: "ada" })), "403 admin_only")
      assert.strictEqual(refusal(yield* call("/v1/admin-check")), "401 unauthenticated")
    })
  )

  it.effect("a match of one's own is read in any state, and nobody else's is", () =>
    Effect.gen(function* () {
      const { json: list } = yield* call("/v1/me/matches?limit=60", { as: "ada" })
      assert.isAbove(list.matches.length, 6)
      for (const match of list.matches) assert.deepStrictEqual(yield* read(`/v1/me/matches/${match.id}`, "ada"), match)
      const states = new Set(list.matches.map(({ status }: any) => status))
      assert.deepStrictEqual([...states].sort(), ["cancelled", "failed", "finished", "queued", "rated"])
      for (const [id, as] of [
        [x.playing, "ada"],
        [x.liveTrial, "bob"],
        [x.secret, "bob"],
        [x.nano, "root"],
        [nothing("match"), "ada"],
        ["no-uuid", "ada"]
      ] as const) {
        assert.strictEqual(refusal(yield* call(`/v1/me/matches/${id}`, { as })), "404 not_found", `${id} ${as}`)
      }
      assert.strictEqual(refusal(yield* call(`/v1/me/matches/${x.nano}`)), "401 unauthenticated")
    })
  )

  it.effect("matches like one: first between the same models, then by them, then on its board", () =>
    Effect.gen(function* () {
      const names = (list: any) => list.matches.map(({ id }: any) => Object.entries(x).find(([, each]) => each === id)?.[0])
      const nano = yield* read(`/v1/matches/${x.nano}/related`)
      assert.deepStrictEqual(names(nano), ["open", "winter"])
      assert.deepStrictEqual([nano.total, nano.next_cursor], [2, null])
      assert.deepStrictEqual(names(yield* read(`/v1/matches/${x.open}/related`)), ["nano", "winter"])
      const cards = yield* read("/v1/matches?season=spring")
      const card = cards.matches.find(({ id }: any) => id === x.open)
      assert.deepStrictEqual(nano.matches[0], card)
      for (const id of [x.passedTrial, x.queued, x.uncounted, x.secret, nothing("match"), "no-uuid"]) {
        assert.strictEqual(refusal(yield* call(`/v1/matches/${id}/related`)), "404 not_found", id)
      }
    })
  )

  it.effect("at most twelve matches like one are answered, each once", () =>
    Effect.gen(function* () {
      const copies = Array.from({ length: 20 }, (_, i) => uuid("match", 500 + i))
      const list = `unnest(string_to_array('${copies.join()}', ',')::uuid[]) WITH ORDINALITY n(id, i)`
      yield* run(`INSERT INTO match SELECT (jsonb_populate_record(o, jsonb_build_object('id', n.id, 'rated_n', 100 + n.i,
        'ended_at', o.ended_at - n.i * interval '1 minute'))).* FROM match o, ${list} WHERE o.id = '${x.nano}'`)
      yield* run(`INSERT INTO seat SELECT (jsonb_populate_record(o, jsonb_build_object('match_id', n.id,
        'version_id', CASE WHEN o.seat = 1 AND n.i > 5 THEN '${v.random}'::uuid ELSE o.version_id END,
        'model_id', CASE WHEN o.seat = 1 AND n.i > 5 THEN '${m.random}'::uuid ELSE o.model_id END,
        'ended_at', o.ended_at - n.i * interval '1 minute'))).* FROM seat o, ${list} WHERE o.match_id = '${x.nano}'`)
      yield* Effect.flatMap(ResponseCache, (cache) => cache.purgeAll)
      const { matches, total } = yield* read(`/v1/matches/${x.nano}/related`)
      assert.deepStrictEqual(
        matches.map(({ id }: any) => id),
        [x.open, ...copies.slice(0, 5), x.winter, ...copies.slice(5, 10)]
      )
      assert.strictEqual(total, 12)
    })
  )

  it.effect("a note is the owner's to change, by the rules of its season, and shows at once", () =>
    Effect.gen(function* () {
      yield* run("INSERT INTO word (word, added_at) VALUES ('darn', now())")
      const path = `/v1/versions/${v.alpha2}`
      assert.strictEqual((yield* read(path)).note, "deeper")
      const edited = yield* edit(path, { note: "wider" })
      assert.deepStrictEqual([edited.status, edited.json.note, edited.json.reject_detail], [200, "wider", null])
      assert.strictEqual((yield* read(path)).note, "wider")
      assert.strictEqual((yield* read(`/v1/models/${m.alpha}`)).versions.find((one: any) => one.version_id === v.alpha2).note, "wider")
      assert.strictEqual((yield* edit(path, { note: null })).json.note, null)
      assert.strictEqual((yield* edit(`/v1/versions/${v.delta1}`, { note: "in trial" })).json.note, "in trial")
      for (const [body, expected, as] of [
        [{}, "400 invalid_request", "ada"],
        [{ note: 7 }, "400 invalid_request", "ada"],
        [{ note: "x".repeat(281) }, "400 note_too_long", "ada"],
        [{ note: "oh, darn" }, "422 note_word_listed", "ada"],
        [{ note: "mine" }, "404 not_found", "bob"],
        [{}, "404 not_found", "root"]
      ] as const) {
        assert.strictEqual(refusal(yield* edit(path, body, as)), expected, JSON.stringify(body))
      }
      assert.strictEqual((yield* edit(path, { note: "🐍".repeat(280) })).status, 200)
      assert.strictEqual(refusal(yield* edit(`/v1/versions/${v.random}`, { note: "x" })), "404 not_found")
    })
  )

  it.effect("a model is its owner's to rename and retire, and its new name shows wherever it is read", () =>
    Effect.gen(function* () {
      const path = `/v1/models/${m.alpha}`
      const places = [
        ...[path, "/v1/profiles/ada", "/v1/games/snakes/leaderboard", "/v1/games/snakes/leaderboard/series"],
        ...["/v1/games/snakes/seasons/winter/podium", "/v1/matches", `/v1/matches?model=${m.beta}`, `/v1/matches/${x.nano}`],
        ...[`/v1/matches/${x.open}/related`, `/v1/models/${m.beta}/rivals`, `/v1/versions/${v.alphaWinter}`]
      ]
      for (const place of places) assert.include((yield* call(place)).text, '"Alpha"', place)
      const renamed = yield* edit(path, { name: "Anaconda" })
      assert.deepStrictEqual([renamed.status, renamed.json.name, renamed.json.retired], [200, "Anaconda", false])
      for (const place of places) {
        const { text } = yield* call(place)
        assert.include(text, '"Anaconda"', place)
        assert.notInclude(text, '"Alpha"', place)
      }
      const retired = yield* edit(path, { retired: true })
      assert.deepStrictEqual([retired.json.name, retired.json.retired], ["Anaconda", true])
      assert.isTrue((yield* read(path)).retired)
      assert.isTrue((yield* read("/v1/profiles/ada")).models[0].retired)
      assert.deepStrictEqual((yield* edit(path, {})).json, retired.json)
      yield* edit(path, { name: "Alpha", retired: false })
      for (const [body, expected, as] of [
        [{ name: "Delta" }, "409 model_name_taken", "ada"],
        [{ name: "" }, "400 invalid_request", "ada"],
        [{ name: "x".repeat(65) }, "400 invalid_request", "ada"],
        [{ retired: "yes" }, "400 invalid_request", "ada"],
        [{ name: "mine" }, "404 not_found", "bob"]
      ] as const) {
        assert.strictEqual(refusal(yield* edit(path, body, as)), expected, JSON.stringify(body))
      }
      assert.strictEqual((yield* edit(path, { name: "Alpha" })).status, 200)
      assert.strictEqual(refusal(yield* edit(`/v1/models/${m.random}`, { name: "x" }, "root")), "404 not_found")
      assert.strictEqual(refusal(yield* edit("/v1/models/no-uuid", { name: "x" })), "404 not_found")
    })
  )
})
