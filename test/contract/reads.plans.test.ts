/**
 * Reads over many rows: each starts from its index and reads no further than its page.
 * Postgres itself counts the rows.
 */

import { Boards } from "@agon/server/board/Boards.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"

const { matchIds: x, modelIds: m, seasonIds, versionIds: v } = Fixture

const MATCHES = 20_000
const TRIALS = 200
const ENTRIES = 5_000
/** Of the forty pairs, the matches of each: what a total of one side's matches has to read, and its page besides. */
const OF_A_SIDE = MATCHES / 40
const model = "01950002-0000-7000-8000-0000000f4244"
const version = "01950003-0000-7000-8000-0000000f4244"

/**
 * So many more rated matches, trials and entries of spring; the seats of a match are those of
 * one of forty pairs of models.
 */
const many = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const like = (id: string, n: string) => `(left('${id}', 24) || lpad(to_hex(1000000 + ${n}), 12, '0'))::uuid`
  const copies = (table: string, count: number, of: string, change: Record<string, string>) =>
    sql.unsafe(`INSERT INTO ${table} SELECT copy.* FROM ${table} row CROSS JOIN generate_series(1, ${count}) i
      CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${Object.entries(change).map(([name, value]) => `'${name}', ${value}`)})) copy
      WHERE ${of}`)
  const ended_at = "row.ended_at - i * interval '1 second'"
  const pair = "(1 + 2 * (i % 40) + row.seat)"
  yield* copies("match", MATCHES, `row.id = '${x.nano}'`, { id: like(x.nano, "i"), n: "100 + i", rated_n: "2 + i", ended_at })
  const sides = { model_id: like(m.alpha, pair), version_id: like(v.alpha1, pair) }
  yield* copies("seat", MATCHES, `row.match_id = '${x.nano}'`, { match_id: like(x.nano, "i"), ...sides, ended_at })
  yield* copies("match", TRIALS, `row.id = '${x.passedTrial}'`, { id: like(x.passedTrial, "2000000 + i"), n: "-i", ended_at })
  yield* copies("seat", TRIALS, `row.match_id = '${x.passedTrial}'`, { match_id: like(x.passedTrial, "2000000 + i"), ended_at })
  const own = like(m.alpha, "i")
  yield* copies("model", ENTRIES, `row.id = '${m.alpha}'`, { id: own, name: "'copy ' || i" })
  yield* copies("version", ENTRIES, `row.id = '${v.alpha2}'`, { id: like(v.alpha2, "i"), model_id: own, ord: "100 + i" })
  const entry = { version_id: like(v.alpha2, "i"), mu: "i::float8 / 10" }
  yield* copies("rating", ENTRIES, `row.version_id = '${v.alpha2}' AND row.ladder = 'open'`, entry)
  yield* sql.unsafe(`UPDATE season SET head = head || '{"rated": ${MATCHES + 2}, "active": ${ENTRIES + 4}}' WHERE slug = 'spring'`)
  yield* sql.unsafe("ANALYZE")
})

const services = Layer.mergeAll(Matches.layer, Leaderboards.layer, Versions.layer, Boards.layer).pipe(
  Layer.provide(Layer.mock(Replays, {})),
  Layer.provideMerge(Seasons.layer)
)
const web = Layer.merge(services, Layer.effectDiscard(many).pipe(Layer.provide(Fixture.layer))).pipe(Layer.provideMerge(core()))

const fetched = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ rows: number }>`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables`,
    (found) => found[0]!.rows
  )
)

/**
 * How many rows of tables a read fetched, by whatever way, on its connection. Costs are those of flash: at
 * the default ones a table as small as these is rather scanned whole than asked five hundred times.
 */
const rowsRead = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL random_page_cost = 1.1`
        const before = yield* fetched
        yield* read
        return (yield* fetched) - before
      })
    )
  )

const list = (query: Partial<Asked>) =>
  rowsRead(Effect.flatMap(Matches, (matches) => matches.list({ sort: "newest", limit: 25, cursor: 0, ...query } as Asked, null)))

layer(web)("rows that reads fetch", (it) => {
  it.effect("a season's newest matches: the page, its seats and the trials, of twenty thousand", () =>
    Effect.gen(function* () {
      assert.isBelow(yield* list({ season: "spring" }), 1_500)
      assert.isBelow(yield* list({ season: "spring", cursor: 1_000 }), 3_500)
    })
  )

  it.effect("matches of a side: those of the side, of twenty thousand", () =>
    Effect.gen(function* () {
      for (const query of [{ model }, { version }, { model, season: "spring" }, { model, outcome: "win" as const }]) {
        assert.isBelow(yield* list(query), 15 * OF_A_SIDE, JSON.stringify(query))
      }
    })
  )

  it.effect("a ladder: the page and its names, of five thousand entries, which are read once for the intervals of all pages", () =>
    Effect.gen(function* () {
      const seasons = yield* Seasons
      const leaderboards = yield* Leaderboards
      const spring = yield* seasons.find("snakes", "spring", null)
      assert.isAbove(yield* rowsRead(leaderboards.page(spring, "open", { limit: 50, cursor: 200 })), ENTRIES)
      assert.isBelow(yield* rowsRead(leaderboards.page(spring, "open", { limit: 50, cursor: 0 })), 250)
      assert.isBelow(yield* rowsRead(seasons.podium(spring)), 100)
      assert.isBelow(yield* rowsRead(seasons.find("snakes", undefined, null)), 100)
    })
  )

  it.effect("a ladder searched by a name: the models of that name, and the ladder once, down to the last one shown", () =>
    Effect.gen(function* () {
      const seasons = yield* Seasons
      const leaderboards = yield* Leaderboards
      const spring = yield* seasons.find("snakes", "spring", null)
      const search = (name: string, limit = 50) => rowsRead(leaderboards.page(spring, "open", { limit, cursor: 0, name }))
      yield* search("copy 5000") // the sums for the intervals, which all pages share
      assert.isBelow(yield* search("copy 5000"), 100, "the first of five thousand")
      assert.isBelow(yield* search("copy 1", 20), 2 * ENTRIES, "a thousand models in the middle, each with its version and its rating")
      assert.isBelow(yield* search("nobody"), 50)
    })
  )

  it.effect("a version near the top: those before it", () =>
    Effect.gen(function* () {
      const versions = yield* Versions
      const best = "01950003-0000-7000-8000-0000000f55c8" // the five thousandth copy
      assert.isBelow(yield* rowsRead(versions.get(best, null)), 100)
      assert.isBelow(yield* rowsRead(versions.ofModel(m.gamma, null)), 6_000) // in the middle of the ladder
    })
  )

  it.effect("boards: what was rated since they were read last", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const read = rowsRead(boards.list(seasonIds.spring, { enabled: false, boards: false }))
      assert.isAtLeast(yield* read, MATCHES)
      assert.isBelow(yield* read, 50)
    })
  )
})
