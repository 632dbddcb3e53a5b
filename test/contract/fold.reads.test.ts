/**
 * The reads of a fold before it is installed, in a season that has gone on for a while: the matches of entries before the fold's round, and
 * where that round begins. Neither reads the round itself, which may have all of the season's matches.
 */

import type { Earlier } from "@agon/domain/season/Log.ts"
import * as log from "@agon/server/actor/store/log.ts"
import { BY_KEY, PLANNING } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { id, insertRows, seasonId, versionNumber } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const SIZE = { matches: 30_000, entries: 200 }
const season = seasonId(1)
const versions = Array.from({ length: 40 }, (_, i) => id("version", versionNumber(1, i + 1)))
const filled = Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, SIZE))).pipe(
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)

type Read = Readonly<Record<"match" | "seat", number>>
const rowsRead = (sql: PgClient.PgClient) =>
  Effect.map(
    sql.unsafe<Read>(
      `SELECT sum(n) FILTER (WHERE relname = 'match')::int AS match, sum(n) FILTER (WHERE relname = 'seat')::int AS seat
       FROM (SELECT relname, pg_stat_get_xact_tuples_fetched(oid) + pg_stat_get_xact_tuples_returned(oid) AS n FROM pg_class WHERE relname IN ('match', 'seat')
         UNION ALL SELECT c.relname, pg_stat_get_xact_tuples_returned(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         WHERE c.relname IN ('match', 'seat')) read`
    ),
    ([row]) => row!
  )

/** The answer of a read, planned as the season's are, and how many rows and entries of indexes it took: a transaction counts its own. */
const counted = <A, E>(sql: PgClient.PgClient, read: Effect.Effect<A, E>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      for (const [name, value] of Object.entries({ ...PLANNING, ...BY_KEY }))
        yield* sql.unsafe("SELECT set_config($1, $2, true)", [name, value])
      const before = yield* rowsRead(sql)
      const found = yield* read
      const after = yield* rowsRead(sql)
      return { found, match: after.match - before.match, seat: after.seat - before.seat }
    })
  )

/** Of each version and ladder the last twelve matches up to that number, found by reading all. */
const asIs = (sql: PgClient.PgClient, ladder: string, after: number) =>
  sql.unsafe<{ version: string; n: number }>(
    `SELECT version, n FROM (SELECT s.version_id AS version, m.rated_n AS n, row_number() OVER (PARTITION BY s.version_id ORDER BY m.rated_n DESC) AS nth
       FROM seat s JOIN match m ON m.id = s.match_id WHERE m.season_id = $1::uuid AND m.rated_n <= $2::int AND (m.ladder = $3 OR $3 = 'open')
         AND s.version_id = ANY (string_to_array($4, ',')::uuid[])) t WHERE nth <= 12 ORDER BY version, n DESC`,
    [season, after, ladder, versions.join()]
  )

const numbersOf = (found: ReadonlyArray<Earlier>) =>
  found
    .flatMap(({ means, version }) => means.map(({ n }) => ({ version, n })))
    .toSorted((a, b) => (a.version === b.version ? b.n - a.n : a.version < b.version ? -1 : 1))

layer(filled, { timeout: "180 seconds" })("a fold of a long season", (it) => {
  it.effect("reads no seat of the first round, before which nobody has played, and finds the seeds of versions", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe("INSERT INTO rating_seed VALUES ($1::uuid, 'open', $2::uuid, 1, 1, 0, $2::uuid, 31, 2)", [season, versions[0]!])
      const { found, match, seat } = yield* counted(sql, log.make(sql).earlier(season, "open", versions, 0, 0))
      assert.isAtMost(match + seat, 10, "the ends of indexes, which the planner looks at")
      assert.deepStrictEqual(
        found.filter(({ means, seed }) => means.length > 0 || seed !== null),
        [{ ladder: "open", version: versions[0]!, seed: { mu: 31, round: 1 }, means: [] }]
      )
    })
  )

  it.effect("finds where each round begins among all numbers by a few rows, and what an entry has played before from there", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { earlier, place } = log.make(sql)
      yield* sql.unsafe("UPDATE match SET status = 'failed', rated_n = NULL WHERE season_id = $1::uuid AND rated_n % 7 = 0", [season])
      const rounds = yield* sql.unsafe<{ round: number; after: number | null }>(
        `SELECT n AS round, (SELECT max(rated_n) FROM match m WHERE m.season_id = $1::uuid AND m.round < r.n) AS after
         FROM round r WHERE r.season_id = $1::uuid ORDER BY n`,
        [season]
      )
      assert.isAbove(rounds.length, 2)
      for (const { after, round } of rounds) {
        const { found, match } = yield* counted(sql, place(season, round))
        assert.deepStrictEqual(found, { round, after: after ?? 0 })
        assert.isAtMost(match, 200, `round ${round}`)
        if (after === null) continue
        for (const ladder of ["nano", "open"] as const) {
          const before = yield* counted(sql, earlier(season, ladder, versions, after, 0))
          assert.deepStrictEqual(numbersOf(before.found), [...(yield* asIs(sql, ladder, after))])
          if (ladder === "open") assert.isAtMost(before.seat, versions.length * 60, `round ${round}`)
        }
      }
    })
  )

  it.effect("finds the last matches of an entry by their numbers where a clock that was ahead has been put back meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ahead = "m.season_id = $1::uuid AND m.rated_n BETWEEN 2001 AND 4000"
      yield* sql.unsafe(`UPDATE seat s SET ended_at = s.ended_at + interval '1 year' FROM match m WHERE s.match_id = m.id AND ${ahead}`, [
        season
      ])
      yield* sql.unsafe(`UPDATE match m SET ended_at = m.ended_at + interval '1 year' WHERE ${ahead}`, [season])
      for (const after of [2_500, 4_000, 4_010, 8_000]) {
        const found = yield* log.make(sql).earlier(season, "open", versions, after, 1)
        assert.deepStrictEqual(numbersOf(found), [...(yield* asIs(sql, "open", after))], `up to ${after}`)
      }
      assert.deepStrictEqual(numbersOf(yield* log.make(sql).earlier(season, "open", versions, 0, 1)), [])
    })
  )
})
