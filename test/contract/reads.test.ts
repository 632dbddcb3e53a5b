/** Public reads, field by field against docs/contract.md, over rows in a real Postgres. */

import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { AdminHandlers } from "@agon/server/admin/http.ts"
import { PlatformStatus } from "@agon/server/admin/PlatformStatus.ts"
import { Boards } from "@agon/server/board/Boards.ts"
import { BoardHandlers } from "@agon/server/board/http.ts"
import { Games } from "@agon/server/game/Games.ts"
import { GameHandlers } from "@agon/server/game/http.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { LeaderboardHandlers } from "@agon/server/leaderboard/http.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { SeasonHandlers } from "@agon/server/season/http.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const { at, classes, engineDigest, insert, modelIds: m, uuid, versionIds: v } = Fixture

const services = Layer.mergeAll(Games.layer, Boards.layer, Leaderboards.layer, PlatformStatus.layer).pipe(
  Layer.provideMerge(Seasons.layer),
  Layer.provide(Fixture.layer)
)
const web = webLayer({
  handlers: Layer.mergeAll(GameHandlers, SeasonHandlers, BoardHandlers, LeaderboardHandlers, AdminHandlers).pipe(Layer.provide(services)),
  served: ["game", "season", "board", "leaderboard", "admin"]
}).pipe(Layer.provide(noLookups))

const spring = {
  game: "snakes",
  slug: "spring",
  name: "Season spring",
  state: "live",
  submissions_open_at: at(-40_000),
  submissions_close_at: at(40_000),
  close_requested_at: null,
  closed_at: null,
  visibility: "public",
  entry: "open",
  engine_digest: engineDigest,
  rules: DEFAULT_RULES,
  weight_classes: classes,
  entries: 4,
  active_versions: 4,
  entered_versions: 9,
  in_flight_versions: 2,
  matches_played: 2,
  maps: { in_play: 2, out_of_play: 1, players: [2, 3], sides: { min: 7, max: 11 } },
  baselines: { enabled: 1, disabled: 1 },
  round: { n: 1, kind: "round", games: 20, started_at: at(-500) },
  next_round: { n: 3, kind: "finals", games: 20, starts_at: at(600) }
}

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
const purgeAll = Effect.flatMap(ResponseCache, (cache) => cache.purgeAll)
const feature = (slug: string) =>
  Effect.all([run("UPDATE season SET featured = false"), run(`UPDATE season SET featured = true WHERE slug = '${slug}'`), purgeAll])

layer(web)("reads of games, seasons, boards and ladders", (it) => {
  it.effect("a game is answered with its featured season, every field of it", () =>
    Effect.gen(function* () {
      const { json, status } = yield* call("/v1/games/snakes")
      assert.strictEqual(status, 200)
      const { description, featured_season, ...rest } = json
      assert.deepStrictEqual(rest, { slug: "snakes", name: "Snakes", players: { min: 2, max: 8 }, engine_digest: engineDigest })
      assert.isString(description)
      assert.deepStrictEqual(featured_season, spring)
      const { json: games } = yield* call("/v1/games")
      assert.deepStrictEqual(
        games.map((game: any) => [game.slug, game.featured_season?.slug ?? null]),
        [
          ["snakes", "spring"],
          ["othello", null]
        ]
      )
    })
  )

  it.effect("featured is what an administrator set, else the newest live season, else the newest", () =>
    Effect.gen(function* () {
      const featured = Effect.map(call("/v1/games/snakes"), ({ json }) => json.featured_season.slug)
      yield* feature("winter")
      assert.strictEqual(yield* featured, "winter")
      yield* feature("none")
      assert.strictEqual(yield* featured, "spring")
      yield* Effect.andThen(run("UPDATE season SET closed_at = '1970-01-01T00:00:00Z' WHERE slug = 'spring'"), purgeAll)
      assert.strictEqual(yield* featured, "autumn")
      yield* Effect.andThen(run("UPDATE season SET closed_at = NULL WHERE slug = 'spring'"), purgeAll)
    })
  )

  it.effect("an unknown game, an unknown season and a private one are refused alike", () =>
    Effect.gen(function* () {
      const cases = [
        ["/v1/games/go", "404 unknown_game"],
        ["/v1/games/go/seasons", "404 unknown_game"],
        ["/v1/games/snakes/leaderboard?season=nothing", "404 unknown_season"],
        ["/v1/games/snakes/leaderboard?season=secret", "404 unknown_season"],
        ["/v1/games/snakes/leaderboard?season=%00", "404 unknown_season"],
        ["/v1/games/go/seasons/spring", "404 unknown_game"],
        ["/v1/games/snakes/seasons/nothing", "404 unknown_season"],
        ["/v1/games/snakes/seasons/secret", "404 unknown_season"],
        ["/v1/games/snakes/seasons/%00", "404 unknown_season"],
        ["/v1/games/othello/seasons/spring", "404 unknown_season"],
        ["/v1/games/snakes/seasons/secret/maps", "404 unknown_season"],
        ["/v1/games/snakes/seasons/secret/podium", "404 unknown_season"],
        ["/v1/games/snakes/seasons/secret/playing", "404 unknown_season"],
        ["/v1/games/snakes/seasons/spring/maps/nothing", "404 not_found"],
        ["/v1/games/snakes/seasons/spring/maps/%00", "404 not_found"],
        ["/v1/games/othello/leaderboard", "404 unknown_season"],
        ["/v1/games/snakes/leaderboard?ladder=huge", "400 invalid_request"],
        ["/v1/games/snakes/leaderboard?cursor=-1", "400 invalid_cursor"]
      ] as const
      for (const [path, expected] of cases) {
        const { json, status } = yield* call(path, { as: "root" }) // a shared answer does not depend on who asks
        assert.strictEqual(`${status} ${json.code}`, expected, path)
      }
    })
  )

  it.effect("seasons are listed newest first, private ones left out, each in its state by the clock", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/games/snakes/seasons")
      assert.deepStrictEqual(
        json.map(({ slug, state }: any) => [slug, state]),
        [
          ["autumn", "scheduled"],
          ["spring", "live"],
          ["winter", "closed"]
        ]
      )
      assert.deepStrictEqual(json[1], spring)
      assert.deepStrictEqual(json[0].maps, { in_play: 0, out_of_play: 0, players: [], sides: null })
      assert.deepStrictEqual([json[0].round, json[0].next_round], [null, null])
      for (const one of json) assert.deepStrictEqual((yield* call(`/v1/games/snakes/seasons/${one.slug}`)).json, one)
      assert.deepStrictEqual((yield* call("/v1/games/othello/seasons")).json, [])
    })
  )

  it.effect("a ladder shows who is in contention, ties by version id, and rounds what it shows", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/games/snakes/leaderboard?ladder=nano&season=spring")
      const { entries, ...rest } = json
      assert.deepStrictEqual(rest, {
        season: "spring",
        season_name: "Season spring",
        closed: false,
        round: { n: 1, kind: "round", games: 20 },
        total: 3,
        next_cursor: null
      })
      assert.deepStrictEqual(entries[0], {
        rank: 1,
        rank_low: 1,
        rank_high: 3, // the last of the three is 130 points below, at deviations of 60: better with 6 %
        version_id: v.alpha2,
        model_id: m.alpha,
        model: "Alpha",
        owner: "ada",
        version: 2,
        class: "nano",
        size_bytes: 2_050,
        rating: 1_550,
        deviation: 60,
        provisional: false,
        matches: 14,
        round_matches: 12,
        baseline: false,
        trend: -3.46,
        history: [1_500, 1_512.35, 1_550]
      })
      const of = ({ baseline, deviation, owner, provisional, rank, rating, version_id }: any) =>
        [rank, version_id, owner, rating, deviation, provisional, baseline] as const
      assert.deepStrictEqual(entries.slice(1).map(of), [
        [2, v.beta1, "bob", 1_550, 100, true, false], // provisional by the unrounded deviation
        [3, v.random, null, 1_419.87, 60, true, true] // nine matches since the reset
      ])
    })
  )

  it.effect("a page of a ladder knows its ranks and where the next one begins", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/games/snakes/leaderboard?limit=2&cursor=1")
      assert.deepStrictEqual(
        [json.total, json.next_cursor, json.entries.map(({ model, rank }: any) => [rank, model])],
        [
          4,
          "3",
          [
            [2, "Alpha"],
            [3, "Gamma"]
          ]
        ]
      )
      const gamma = json.entries[1]
      assert.deepStrictEqual([gamma.trend, gamma.history, gamma.provisional, gamma.round_matches], [null, [1_500], true, 0])
      const past = (yield* call("/v1/games/snakes/leaderboard?cursor=2147483647")).json
      assert.deepStrictEqual([past.entries, past.next_cursor, past.total], [[], null, 4])
      const winter = (yield* call("/v1/games/snakes/leaderboard?season=winter")).json
      assert.deepStrictEqual([winter.closed, winter.round, winter.entries[0].round_matches], [true, null, null])
    })
  )

  it.effect("boards come in the order they were added, with the matches that count, and with files where asked", () =>
    Effect.gen(function* () {
      const maps = "/v1/games/snakes/seasons/spring/maps"
      const { json } = yield* call(maps)
      assert.deepStrictEqual([json.total, json.next_cursor], [3, null])
      assert.deepStrictEqual(json.maps[0], {
        map_id: "duel",
        players: 2,
        rows: 7,
        cols: 9,
        enabled: true,
        added_at: at(-38_999),
        matches: 1
      })
      assert.deepStrictEqual(
        json.maps.map(({ enabled, map_id, matches }: any) => [map_id, enabled, matches]),
        [
          ["duel", true, 1],
          ["crowd", true, 1],
          ["old", false, 0]
        ]
      )
      const narrowed = (yield* call(`${maps}?enabled=true&boards=true`)).json
      assert.deepStrictEqual(
        narrowed.maps.map(({ board }: any) => board),
        [
          { format: "snakes-board/1", map_id: "duel", players: 2, rows: 7, cols: 9 },
          { format: "snakes-board/1", map_id: "crowd", players: 2, rows: 7, cols: 9 }
        ]
      )
      const old = (yield* call(`${maps}/old`)).json
      assert.deepStrictEqual(old.periods, [
        { from: at(-900), to: at(-800) },
        { from: at(-700), to: at(-600) }
      ])
      assert.deepStrictEqual([old.board, old.matches], [{ format: "snakes-board/1", map_id: "old", players: 2, rows: 7, cols: 9 }, 0])
      assert.deepStrictEqual((yield* call(`${maps}/duel`)).json.periods, [{ from: at(-900), to: null }])
    })
  )

  it.effect("a board counts what was rated since, and counts anew when a re-rating has taken matches back", () =>
    Effect.gen(function* () {
      const counted = Effect.gen(function* () {
        yield* purgeAll
        const { json } = yield* call("/v1/games/snakes/seasons/spring/maps")
        return json.maps.map(({ matches }: any) => matches)
      })
      const rated = (n: number, voided = 0) =>
        run(`UPDATE season SET head = head || '{"rated": ${n}, "voided": ${voided}}' WHERE slug = 'spring'`)
      yield* run(`INSERT INTO match SELECT (jsonb_populate_record(m, '{"id": "${uuid("match", 99)}", "n": 99, "rated_n": 3}')).* FROM match m
        WHERE id = '${Fixture.matchIds.nano}'`)
      yield* rated(3)
      assert.deepStrictEqual(yield* counted, [2, 1, 0])
      yield* run(`DELETE FROM match WHERE id = '${uuid("match", 99)}'`)
      yield* rated(2, 1)
      assert.deepStrictEqual(yield* counted, [1, 1, 0])
    })
  )

  it.effect("the podium is the live top three, and stays what it was once the season is closed", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/games/snakes/seasons/spring/podium")
      assert.deepStrictEqual([json.season, json.season_name, json.frozen], ["spring", "Season spring", false])
      assert.deepStrictEqual(Object.keys(json.ladders), ["nano", "micro", "mini", "small", "large", "open"])
      assert.deepStrictEqual(json.ladders.nano[0], {
        place: 1,
        version_id: v.alpha2,
        model_id: m.alpha,
        model: "Alpha",
        owner: "ada",
        version: 2,
        class: "nano",
        rating: 1_550
      })
      assert.deepStrictEqual(
        json.ladders.open.map(({ model, place }: any) => [place, model]),
        [
          [1, "Beta"],
          [2, "Alpha"]
        ],
        "nobody who has not played"
      )
      const winter = (yield* call("/v1/games/snakes/seasons/winter/podium")).json
      const versions = (ladder: string) => winter.ladders[ladder].map(({ version_id }: any) => version_id)
      assert.isTrue(winter.frozen)
      assert.deepStrictEqual(versions("nano"), [v.alphaWinter, v.betaWinter])
      assert.deepStrictEqual(versions("open"), [v.betaWinter, v.alphaWinter])
      assert.deepStrictEqual([winter.ladders.micro, winter.ladders.large], [[], []])
    })
  )

  it.effect("in finals nobody is on the podium without a match in them", () =>
    Effect.gen(function* () {
      const best = Effect.map(Effect.andThen(purgeAll, call("/v1/games/snakes/seasons/spring/podium")), ({ json }) =>
        json.ladders.nano.map(({ version_id }: any) => version_id)
      )
      const played = (n: number) => run(`UPDATE rating SET round_matches = ${n} WHERE ladder = 'nano' AND version_id = '${v.alpha2}'`)
      const kind = (is: string) => run(`UPDATE round SET kind = '${is}' WHERE n = 1`)
      const before = yield* best
      assert.strictEqual(before[0], v.alpha2)
      yield* played(0)
      assert.deepStrictEqual(yield* best, before, "in a round as before")
      yield* kind("finals")
      assert.deepStrictEqual(yield* best, before.slice(1))
      yield* played(1)
      assert.deepStrictEqual(yield* best, before)
      yield* Effect.all([kind("round"), played(12), purgeAll])
    })
  )

  it.effect("no reset is announced any more once a season's close has been asked for", () =>
    Effect.gen(function* () {
      const announced = Effect.map(Effect.andThen(purgeAll, call("/v1/games/snakes")), ({ json }) => json.featured_season.next_round?.n)
      assert.strictEqual(yield* announced, 3)
      yield* run(`UPDATE season SET close_requested_at = '${at(0)}' WHERE slug = 'spring'`)
      assert.isUndefined(yield* announced)
      yield* Effect.andThen(run("UPDATE season SET close_requested_at = NULL WHERE slug = 'spring'"), purgeAll)
    })
  )

  it.effect("of seasons that opened and were made at the same moment the same one is always the newest", () =>
    Effect.gen(function* () {
      const twin = (n: number) => Fixture.season(uuid("season", n), `twin${n}`, { submissions_open_at: at(-1), created_at: at(-2) })
      for (const n of [62, 63, 61]) yield* insert("season", [twin(n)])
      yield* purgeAll
      const listed = (yield* call("/v1/games/snakes/seasons")).json.map(({ slug }: any) => slug)
      assert.deepStrictEqual(listed.slice(0, 4), ["autumn", "twin63", "twin62", "twin61"])
      assert.strictEqual((yield* call("/v1/games/snakes")).json.featured_season.slug, "twin63")
      yield* Effect.andThen(run("DELETE FROM season WHERE slug LIKE 'twin%'"), purgeAll)
    })
  )

  it.effect("playing counts the matches that runners hold now, and is never kept", () =>
    Effect.gen(function* () {
      const { headers, json } = yield* call("/v1/games/snakes/seasons/spring/playing")
      assert.deepStrictEqual(json, { season: "spring", playing: 1 })
      assert.strictEqual(headers.get("cache-control"), "no-store")
    })
  )

  it.effect("the status counts runners of the last minute, the queue, what is played and public live seasons", () =>
    Effect.gen(function* () {
      const runner = (n: number, change: Fixture.Row) => ({
        ...{
          id: uuid("runner", n),
          key_id: uuid("key", 1),
          name: "r",
          runtime_version: "ort",
          engines: [],
          accepts: ["match", "admission"]
        },
        ...{ slots: 1, state: "active", created_at: at(-60), last_seen_at: at(-0.5), ...change }
      })
      const key = { name: "k", prefix: "agon_rk_", created_at: at(-60) }
      yield* insert("runner_key", [
        { ...key, id: uuid("key", 1), key_sha256: "\\x01", revoked_at: null, season_id: null },
        { ...key, id: uuid("key", 3), key_sha256: "\\x03", revoked_at: null, season_id: Fixture.seasonIds.secret },
        { ...key, id: uuid("key", 2), key_sha256: "\\x02", revoked_at: at(-1) }
      ])
      yield* insert("runner", [
        runner(1, {}),
        runner(2, { accepts: ["match"] }),
        runner(3, { state: "draining" }),
        runner(4, { last_seen_at: at(-1.1) }),
        runner(5, { state: "gone" }),
        runner(6, { key_id: uuid("key", 2) }),
        runner(7, { key_id: uuid("key", 3) })
      ])
      // Nothing of a private season is told here: neither its own machines nor its matches and reviews.
      yield* run(`INSERT INTO live SELECT (jsonb_populate_record(l, jsonb_build_object('season_id', '${Fixture.seasonIds.secret}', 'id',
        gen_random_uuid()))).* FROM live l`)
      yield* insert("review", [{ season_id: Fixture.seasonIds.secret, version_id: v.hiddenSecret, lease_n: 0, released: false }])
      assert.deepStrictEqual((yield* call("/v1/status")).json, {
        status: "ok",
        version: "0.1.0",
        admitters: 1,
        runners: 3,
        queued: 3,
        playing: 1,
        seasons_live: 1
      })
    })
  )
})
