/** Matches as anyone and as their owners read them (docs/contract.md#matches). */

import { playMatch } from "@agon/engine/play.ts"
import { Recorder } from "@agon/engine/replay/Recorder.ts"
import { makeReplay } from "@agon/engine/replay/Replay.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { snakes } from "@agon/engine/snakes/snakes.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { gameTag, matchesTag, seasonTag } from "@agon/server/http/cache/tags.ts"
import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { replayKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const { at, engineDigest, matchIds: x, modelIds: m, seasonIds, uuid, versionIds: v } = Fixture

const objects = new Map<string, Uint8Array>()
const Objects = Layer.mock(ObjectStore, {
  presignGet: ({ expires_s, key }) => Effect.succeed(`https://objects.test/${key}?expires=${expires_s}`),
  get: ({ key, max_bytes }) =>
    Effect.succeed(Option.fromNullishOr(objects.get(key)).pipe(Option.filter((bytes) => bytes.length <= max_bytes)))
})
const services = Matches.layer.pipe(
  Layer.provide(Replays.layer),
  Layer.provide(Objects),
  Layer.provide(Seasons.layer),
  Layer.provide(Fixture.layer)
)
const web = webLayer({ handlers: MatchHandlers.pipe(Layer.provide(services)), served: ["match"] }).pipe(Layer.provide(noLookups))

const run = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
const nothing = uuid("match", 999)
/** The ids that a list answers, and its total. */
const listed = (query: string) =>
  Effect.map(call(`/v1/matches?${query}`), ({ json, text }) => {
    assert.isArray(json.matches, `${query}: ${text}`)
    return [json.total, ...json.matches.map(({ id }: any) => nameOf(id))]
  })
const nameOf = (id: string) => Object.entries(x).find(([, each]) => each === id)?.[0] ?? id

layer(web)("reads of matches", (it) => {
  it.effect("a list names its season, and cards say everything of theirs", () =>
    Effect.gen(function* () {
      const { json } = yield* call("/v1/matches?season=spring")
      const { matches, ...rest } = json
      assert.deepStrictEqual(rest, { season: "spring", total: 2, sort: "newest", next_cursor: null })
      assert.deepStrictEqual(
        matches.map(({ id }: any) => nameOf(id)),
        ["passedTrial", "open", "nano"]
      )
      const seat = (n: number, model_id: string, version_id: string, model: string, owner: string | null, rank: number, score: number) =>
        ({ seat: n, model_id, version_id, model, owner, rank, score }) as const
      assert.deepStrictEqual(matches[1], {
        id: x.open,
        game: "snakes",
        season: "spring",
        ladder: "open",
        map: "crowd",
        is_trial: false,
        status: "rated",
        turns: 42,
        reason: "last_standing",
        played_at: at(-88),
        comments: 0,
        seats: [
          seat(0, m.gamma, v.gamma1, "Gamma", "bob", 2, 79),
          seat(1, m.alpha, v.alpha2, "Alpha", "ada", 1, 80),
          seat(2, m.beta, v.beta1, "Beta", "bob", 1, 80)
        ]
      })
      assert.deepStrictEqual([matches[0].is_trial, matches[0].ladder, matches[0].status], [true, null, "finished"])
      assert.deepStrictEqual(matches[0].seats[1], seat(1, m.random, v.random, "random", null, 2, 5))
    })
  )

  it.effect("filters narrow the list, and total counts the rated ones that fit", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
        ["", [2, "passedTrial", "open", "nano"]], // the featured season of the first game
        ["season=spring&ladder=nano", [1, "nano"]],
        ["season=spring&class=micro", [1, "open"]],
        ["season=spring&map=duel", [1, "passedTrial", "nano"]],
        ["season=spring&map=nothing", [0]],
        ["season=spring&map=%00", [0]],
        ["season=spring&players_min=3", [1, "open"]],
        ["season=spring&players_max=2", [1, "passedTrial", "nano"]],
        [`season=spring&since=${at(-88)}`, [1, "passedTrial", "open"]],
        ["season=spring&top=1", [2, "open", "nano"]],
        ["season=winter&top=1", [1, "winter"]],
        [`model=${m.alpha}`, [3, "open", "nano", "winter"]], // every public season, none of the secret one
        [`model=${m.alpha}&season=spring`, [2, "open", "nano"]],
        [`model=${m.alpha}&game=othello`, [0]],
        [`model=${m.beta}`, [3, "passedTrial", "open", "nano", "winter"]],
        [`model=${m.delta}`, [0]], // its trial goes on
        [`model=${m.hidden}`, [0]],
        [`model=${nothing}`, [0]],
        [`version=${v.beta1}`, [2, "passedTrial", "open", "nano"]],
        ["owner=bob", [3, "passedTrial", "open", "nano", "winter"]], // once, though two of the seats are his
        ["owner=nobody", [0]],
        [`vs=${m.alpha},${m.gamma}`, [1, "open"]],
        [`vs=${m.alpha},${m.random}`, [0]],
        [`model=${m.gamma}&vs=${m.alpha},${m.beta}`, [1, "open"]],
        [`model=${m.alpha}&outcome=win`, [1, "nano"]],
        [`model=${m.alpha}&outcome=draw`, [1, "open"]],
        [`model=${m.alpha}&outcome=loss`, [1, "winter"]],
        ["owner=bob&outcome=loss&season=spring", [2, "open", "nano"]],
        [`model=${m.gamma}&outcome=draw`, [0]] // the draw was another's
      ]
      for (const [query, expected] of cases) assert.deepStrictEqual(yield* listed(query), expected, query)
      assert.isNull((yield* call(`/v1/matches?model=${m.alpha}`)).json.season)
    })
  )

  it.effect("a bad filter is refused, and an unknown game or season is", () =>
    Effect.gen(function* () {
      const cases = [
        ["outcome=win", "400 invalid_request"],
        ["vs=a,b", "400 invalid_request"],
        [`vs=${m.alpha},${m.alpha}`, "400 invalid_request"], // a model does not meet itself
        ["top=0", "400 invalid_request"],
        ["since=yesterday", "400 invalid_request"],
        ["sort=best", "400 invalid_request"],
        ["cursor=x", "400 invalid_cursor"],
        ["game=go", "404 unknown_game"],
        [`game=go&model=${m.alpha}`, "404 unknown_game"],
        ["game=othello", "404 unknown_season"],
        ["season=secret", "404 unknown_season"],
        ["season=secret&game=snakes", "404 unknown_season"],
        ["season=spring&game=othello", "404 unknown_season"]
      ] as const
      for (const [query, expected] of cases) {
        const { json, status } = yield* call(`/v1/matches?${query}`)
        assert.strictEqual(`${status} ${json.code}`, expected, query)
      }
    })
  )

  it.effect("a season named without its game is that of the first game that has one by this name, as soon as it has", () =>
    Effect.gen(function* () {
      const gameOf = (query: string) =>
        Effect.map(call(`/v1/matches?${query}`), ({ json }) => json.matches?.[0]?.game ?? json.code ?? json.season)
      yield* Fixture.insert("season", [Fixture.season(uuid("season", 50), "discs", { game: "othello" })])
      yield* run(`INSERT INTO board SELECT (jsonb_populate_record(b, '{"season_id": "${uuid("season", 50)}"}')).* FROM board b
        WHERE season_id = '${seasonIds.spring}' AND map_id = 'duel'`)
      yield* run(`INSERT INTO match SELECT (jsonb_populate_record(m, '{"season_id": "${uuid("season", 50)}", "id": "${uuid("match", 50)}"}')).*
        FROM match m WHERE id = '${x.nano}'`)
      yield* run(`INSERT INTO seat SELECT (jsonb_populate_record(y, '{"season_id": "${uuid("season", 50)}", "match_id": "${uuid("match", 50)}"}')).*
        FROM seat y WHERE match_id = '${x.nano}'`)
      yield* run(`UPDATE season SET head = head || '{"rated": 1}' WHERE slug = 'discs'`)
      assert.deepStrictEqual(
        [yield* gameOf("season=discs"), yield* gameOf("season=discs&game=othello"), yield* gameOf("season=discs&game=snakes")],
        ["othello", "othello", "unknown_season"]
      )
      yield* Fixture.insert("season", [Fixture.season(uuid("season", 51), "discs")])
      yield* Effect.flatMap(ResponseCache, (cache) => cache.purge(gameTag("snakes"))) // as whoever makes a season does
      assert.strictEqual(yield* gameOf("season=discs"), "discs", "that of snakes, which has no matches")
      yield* run(`UPDATE season SET visibility = 'private' WHERE id = '${uuid("season", 51)}'`)
      yield* Effect.flatMap(ResponseCache, (cache) => cache.purge(gameTag("snakes"), seasonTag(uuid("season", 51))))
      assert.strictEqual(yield* gameOf("season=discs"), "othello", "one that is hidden is as if it were not")
      yield* run(`DELETE FROM seat WHERE match_id = '${uuid("match", 50)}'`)
      yield* run(`DELETE FROM match WHERE id = '${uuid("match", 50)}'`)
      yield* run(`DELETE FROM board WHERE season_id = '${uuid("season", 50)}'`)
      yield* run("DELETE FROM season WHERE slug = 'discs'")
      yield* Effect.flatMap(ResponseCache, (cache) => cache.purgeAll)
    })
  )

  it.effect("sorts go by their figure, without trials", () =>
    Effect.gen(function* () {
      const cases = [
        ["longest", ["open", "nano"]], // 42 and 41 turns
        ["closest", ["open", "nano"]], // a tie; half behind
        ["upset", ["nano", "open"]], // Alpha (41.87) beat Beta (58.13); Alpha (8) beat Gamma (0)
        ["discussed", ["open", "nano"]]
      ] as const
      for (const [sort, expected] of cases) assert.deepStrictEqual(yield* listed(`season=spring&sort=${sort}`), [2, ...expected], sort)
    })
  )

  it.effect("pages run over all listed rows, trials too, and end where there are no more", () =>
    Effect.gen(function* () {
      const pages: Array<unknown> = []
      for (let cursor: string | null = "0"; cursor !== null; ) {
        const { json }: any = yield* call(`/v1/matches?season=spring&limit=1&cursor=${cursor}`)
        pages.push(...json.matches.map(({ id }: any) => nameOf(id)))
        cursor = json.next_cursor
      }
      assert.deepStrictEqual(pages, ["passedTrial", "open", "nano"])
      const past = (yield* call("/v1/matches?season=spring&cursor=2147483647")).json
      assert.deepStrictEqual([past.matches, past.next_cursor, past.total], [[], null, 2])
    })
  )

  it.effect("a match says everything of itself; the replay's address only where there is one", () =>
    Effect.gen(function* () {
      const { json } = yield* call(`/v1/matches/${x.open}`)
      const { seats, ...rest } = json
      assert.deepStrictEqual(rest, {
        id: x.open,
        game: "snakes",
        season: "spring",
        ladder: "open",
        map: "crowd",
        is_trial: false,
        status: "rated",
        turns: 42,
        reason: "last_standing",
        played_at: at(-88),
        comments: 0,
        engine_digest: engineDigest,
        runtime_version: "ort 1.30",
        seed: 4_000_000_002,
        played_ms: 900,
        withdrawn_reason: null,
        successor: null,
        fault_reason: null,
        replay_url: `https://objects.test/replays/${x.open}.${"d".repeat(64)}?expires=3600`
      })
      assert.deepStrictEqual(seats[0], {
        seat: 0,
        model_id: m.gamma,
        version_id: v.gamma1,
        model: "Gamma",
        owner: "bob",
        rank: 2,
        score: 79,
        version: 1,
        class: "micro",
        strikes: 1,
        outcome: "loss",
        rating_change: { open: 0 }
      })
      assert.deepStrictEqual([seats[1].outcome, seats[2].outcome], ["draw", "draw"])
      const nano = (yield* call(`/v1/matches/${x.nano}`)).json
      assert.isFalse("replay_url" in nano)
      assert.deepStrictEqual(nano.seats[0].rating_change, { nano: 8.13, open: 4.44 })
      assert.deepStrictEqual([nano.seats[0].outcome, nano.seats[1].outcome], ["win", "loss"])
    })
  )

  it.effect("what does not count is no public match: trials, queued, cancelled, failed, uncounted and private ones", () =>
    Effect.gen(function* () {
      const { nano: _, open: __, winter: ___, ...hidden } = x
      for (const id of [...Object.values(hidden), nothing, "not-a-uuid"]) {
        for (const path of [`/v1/matches/${id}`, `/v1/matches/${id}/frame`]) {
          const { json, status } = yield* call(path, { as: "ada" })
          assert.strictEqual(`${status} ${json.code}`, "404 not_found", nameOf(id))
        }
      }
    })
  )

  it.effect("a list ends where it ends, wherever it is asked to go on, trials among the newest included", () =>
    Effect.gen(function* () {
      for (const list of ["season=spring", `model=${m.alpha}`, `vs=${m.alpha},${m.beta}`, "season=spring&ladder=open"]) {
        for (const sort of ["newest", "closest", "upset", "longest", "discussed"]) {
          const ask = (cursor: number) => Effect.map(call(`/v1/matches?${list}&sort=${sort}&cursor=${cursor}`), ({ json }) => json)
          const { length } = (yield* ask(0)).matches
          assert.isAbove(length, 0)
          assert.lengthOf((yield* ask(length - 1)).matches, 1, `${list} ${sort}`)
          for (const cursor of [length, length + 1, 2 ** 31 - 1]) {
            const { matches, next_cursor } = yield* ask(cursor)
            assert.deepStrictEqual([matches, next_cursor], [[], null], `${list} ${sort} ${cursor}`)
          }
        }
      }
    })
  )

  it.effect("the frame is the last state by the rules, null where it cannot be recomputed", () =>
    Effect.gen(function* () {
      const rules = { max_turns: 500, strike_limit: 3 }
      const board = snakesBoards.find(({ players }) => players === 3)!
      const recorder = new Recorder()
      const { state } = playMatch(
        snakes,
        board,
        7,
        rules,
        board.spawns.map(() => () => 0),
        recorder
      )
      const models = board.spawns.map(() => ({ weights_sha256: "a".repeat(64), manifest_sha256: "b".repeat(64) }))
      const replay = makeReplay({ engine: snakes, board, seed: 7, rules, runtime_version: "ort 1.30", seats: models, recorder, state })
      const bytes = new TextEncoder().encode(JSON.stringify(replay))
      yield* run(`UPDATE match SET replay_bytes = ${bytes.length} WHERE id = '${x.open}'`)
      objects.set(replayKey(x.open, `sha256:${"d".repeat(64)}`), bytes)
      const { json } = yield* call(`/v1/matches/${x.open}/frame`)
      assert.deepStrictEqual(json, {
        match: x.open,
        turn: 42,
        seats: [
          { seat: 0, model: "Gamma", owner: "bob", score: 79, rank: 2 },
          { seat: 1, model: "Alpha", owner: "ada", score: 80, rank: 1 },
          { seat: 2, model: "Beta", owner: "bob", score: 80, rank: 1 }
        ],
        view: JSON.parse(JSON.stringify(snakes.view(state)))
      })
      assert.isNull((yield* call(`/v1/matches/${x.nano}/frame`)).json.view)
      for (const broken of ["{", JSON.stringify({ ...replay, state_sha256: "0".repeat(64) })]) {
        objects.set(replayKey(x.open, `sha256:${"d".repeat(64)}`), new TextEncoder().encode(broken))
        yield* Effect.flatMap(ResponseCache, (cache) => cache.purgeAll)
        const again = yield* call(`/v1/matches/${x.open}/frame`)
        assert.deepStrictEqual([again.status, again.json.view], [200, null])
      }
    })
  )

  it.effect("a competitor sees every match of theirs in every state, by play time or creation, and which seats are theirs", () =>
    Effect.gen(function* () {
      const { headers, json } = yield* call("/v1/me/matches", { as: "ada" })
      assert.strictEqual(headers.get("cache-control"), "no-store")
      const rows = json.matches.map(({ id, status }: any) => [nameOf(id), status])
      assert.deepStrictEqual(rows, [
        ["liveTrial", "queued"], // created 9 minutes ago
        ["queued", "queued"], // 11
        ["uncounted", "finished"], // played 83 minutes ago
        ["openTrial", "finished"], // 86
        ["open", "rated"], // 88
        ["secret", "rated"], // 89, and of the greater id
        ["nano", "rated"],
        ["failed", "failed"], // created 94 minutes ago
        ["cancelled", "cancelled"], // 95
        ["winter", "rated"]
      ])
      assert.deepStrictEqual([json.total, json.next_cursor], [10, null])
      const of = (name: keyof typeof x) => json.matches.find(({ id }: any) => id === x[name])
      const { seats, ...cancelled } = of("cancelled")
      assert.deepStrictEqual(cancelled, {
        id: x.cancelled,
        game: "snakes",
        season: "spring",
        ladder: "nano",
        map: "duel",
        is_trial: false,
        status: "cancelled",
        turns: null,
        reason: null,
        played_at: null,
        comments: 0,
        engine_digest: engineDigest,
        runtime_version: null,
        seed: 4_000_000_005,
        played_ms: null,
        withdrawn_reason: "superseded",
        successor: 2,
        fault_reason: null,
        created_at: at(-95)
      })
      assert.deepStrictEqual(seats[0], {
        seat: 0,
        model_id: m.alpha,
        version_id: v.alpha1,
        model: "Alpha",
        owner: "ada",
        rank: null,
        score: null,
        version: 1,
        class: "nano",
        strikes: null,
        outcome: null,
        rating_change: null,
        mine: true
      })
      assert.isFalse(seats[1].mine)
      assert.strictEqual(of("failed").fault_reason, "runner_lost")
      assert.deepStrictEqual([of("uncounted").seats[0].outcome, of("uncounted").seats[0].rating_change], ["win", null])
      assert.deepStrictEqual(
        [of("liveTrial").is_trial, of("liveTrial").engine_digest, of("liveTrial").seats[0].mine],
        [true, engineDigest, true]
      )
      assert.match(of("open").replay_url, /expires=3600/)
    })
  )

  it.effect("a match being played reads queued; pages and games narrow one's own list", () =>
    Effect.gen(function* () {
      const bob = (yield* call("/v1/me/matches?limit=3&cursor=0", { as: "bob" })).json
      assert.deepStrictEqual(
        bob.matches.map(({ id, status }: any) => [nameOf(id), status]),
        [
          ["playing", "queued"],
          ["queued", "queued"],
          ["uncounted", "finished"]
        ]
      )
      assert.deepStrictEqual([bob.total, bob.next_cursor], [10, "3"])
      const next = (yield* call("/v1/me/matches?limit=2&cursor=3", { as: "bob" })).json
      assert.deepStrictEqual(
        next.matches.map(({ id }: any) => nameOf(id)),
        ["openTrial", "passedTrial"]
      )
      assert.deepStrictEqual((yield* call("/v1/me/matches?game=othello", { as: "bob" })).json, { matches: [], total: 0, next_cursor: null })
      assert.strictEqual((yield* call("/v1/me/matches?game=go", { as: "bob" })).json.code, "unknown_game")
      assert.strictEqual((yield* call("/v1/me/matches")).status, 401)
    })
  )

  it.effect("lists are kept until a match of their season is rated", () =>
    Effect.gen(function* () {
      const { purge } = yield* ResponseCache
      const path = "/v1/matches?season=winter"
      const first = yield* call(path)
      yield* run(`UPDATE match SET turns = 77 WHERE id = '${x.winter}'`)
      yield* purge(matchesTag(seasonIds.spring))
      assert.strictEqual((yield* call(path)).text, first.text)
      yield* purge(matchesTag(seasonIds.winter))
      assert.strictEqual((yield* call(path)).json.matches[0].turns, 77)
    })
  )

  it.effect("the total of a filter follows what is rated and what is voided", () =>
    Effect.gen(function* () {
      const { purge } = yield* ResponseCache
      const list = Effect.andThen(purge(matchesTag(seasonIds.winter)), listed("season=winter&map=duel&ladder=nano"))
      const second = uuid("match", 500)
      const copy = (table: string, id: string, change: object) =>
        run(
          `INSERT INTO ${table} SELECT copy.* FROM ${table} row, jsonb_populate_record(row, '${JSON.stringify(change)}') copy WHERE ${id} = '${x.winter}'`
        )
      const counted = (head: object) => run(`UPDATE season SET head = head || '${JSON.stringify(head)}' WHERE slug = 'winter'`)
      assert.deepStrictEqual(yield* list, [1, "winter"])
      yield* copy("match", "row.id", { id: second, n: 2, rated_n: 2, ended_at: at(-49_990) })
      yield* copy("seat", "row.match_id", { match_id: second, ended_at: at(-49_990) })
      yield* counted({ rated: 2 })
      assert.deepStrictEqual(yield* list, [2, second, "winter"])
      yield* run(`UPDATE match SET status = 'failed', rated_n = NULL WHERE id = '${x.winter}'`)
      yield* counted({ rated: 1, voided: 1 })
      assert.deepStrictEqual(yield* list, [1, second])
    })
  )

  it.effect("a voided match keeps its place in one's own list, since it was played", () =>
    Effect.gen(function* () {
      const own = Effect.map(call("/v1/me/matches", { as: "bob" }), ({ json }) => json.matches.map(({ id }: any) => nameOf(id)))
      const before = yield* own
      // After it was created, and before it was played, others were.
      yield* run(`UPDATE match SET status = 'failed', fault_reason = 'replay_mismatch' WHERE id = '${x.uncounted}'`)
      yield* run(`UPDATE seat SET rank = 0 WHERE match_id = '${x.uncounted}'`)
      assert.deepStrictEqual(yield* own, before)
    })
  )
})
