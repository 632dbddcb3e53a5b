/** Every statement that reads ladders. The machine alone writes them. */

import { Entry } from "@agon/api/leaderboard/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { modelsNamed } from "../database/beginning.ts"
import { published } from "../database/visibility.ts"
import { ratedMarks } from "../match/list/seasonCounts.ts"
import { bestOf, ranksDownTo, wholeOf } from "../rating/standing.ts"

const { deviation: _d, provisional: _p, rank: _r, rank_high: _h, rank_low: _l, rating: _m, ...fields } = Entry.fields

/** Ratings as the machine keeps them: in Elo points around 0. */
export const StandingRow = Schema.Struct({ ...fields, round_matches: Schema.Int, mu: Schema.Number, sigma: Schema.Number })
export type StandingRow = typeof StandingRow.Type

/**
 * An entry that a search finds, with its place on the whole ladder, and how many it finds in all; null
 * where the page has none of them.
 */
const FoundRow = Schema.Struct({
  total: Schema.Int,
  entry: Schema.NullOr(Schema.Struct({ ...StandingRow.fields, rank: Schema.Int }))
})

export const BestRow = Schema.Struct({
  version_id: Schema.String,
  model_id: Schema.String,
  model: Schema.String,
  owner: Schema.NullOr(Schema.String),
  mu: Schema.Number
})
export type BestRow = typeof BestRow.Type

/** Rank of a version at the `point`-th requested moment, counted from 1. */
export const StoodRow = Schema.Struct({ point: Schema.Int, version_id: Schema.String, rank: Schema.Int, mu: Schema.Number })
export type StoodRow = typeof StoodRow.Type

/** Entries of nearly the same rating and deviation. */
export const GroupRow = Schema.Struct({ mu: Schema.Number, sigma: Schema.Number, entries: Schema.Int })
export type GroupRow = typeof GroupRow.Type

const ofLadder = { season_id: Schema.String, ladder: Schema.String }

/** The top of a ladder, with a limit and an offset: the text after FROM. */
const best = (sql: SqlClient.SqlClient, season_id: string, ladder: string, limit: number, offset = 0): Statement.Fragment =>
  sql`(SELECT b.* FROM (SELECT ${season_id}::uuid AS season_id, ${ladder}::text AS ladder) q
    CROSS JOIN LATERAL ${sql.literal(bestOf("q.season_id", "q.ladder", `LIMIT ${limit} OFFSET ${offset}`))} b)`

const columns = `r.version_id, v.model_id, m.name AS model, a.username AS owner, v.number AS version, v.class,
        v.weights_bytes::float8 + v.manifest_bytes AS size_bytes, r.mu, r.sigma, r.matches, r.round_matches,
        v.owner_id IS NULL AS baseline, r.trend, r.history`
const joins = "JOIN version v ON v.id = r.version_id JOIN model m ON m.id = v.model_id LEFT JOIN account a ON a.id = v.owner_id"

const makeSearch = (sql: SqlClient.SqlClient) => ({
  /**
   * A page of the entries whose model's name or owner's username begins with `start`, best first: of each of
   * these models its versions by version_model, and their ratings by rating_version. Their ranks are counted
   * in one go along rating_rank, from the first entry to the last of the page: 100,000 entries take 0.05 s.
   */
  named: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofLadder, start: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: FoundRow,
    execute: ({ ladder, limit, offset, season_id, start }) => sql`
      WITH ${modelsNamed(sql, season_id, start)}, found AS MATERIALIZED (
        SELECT r.* FROM named
          CROSS JOIN LATERAL (SELECT id FROM version WHERE model_id = named.id AND season_id = ${season_id} AND status = 'entered' OFFSET 0) v
          CROSS JOIN LATERAL (SELECT version_id, mu FROM standing WHERE version_id = v.id AND ladder = ${ladder} AND active OFFSET 0) r),
      page AS MATERIALIZED (SELECT * FROM found ORDER BY mu DESC, version_id LIMIT ${limit} OFFSET ${offset}),
      ranked AS (SELECT o.* FROM (SELECT ${season_id}::uuid AS season_id, ${ladder}::text AS ladder) q
        CROSS JOIN LATERAL ${sql.literal(ranksDownTo("q.season_id", "q.ladder", "(SELECT min(mu) FROM page)"))} o
        WHERE o.version_id IN (SELECT version_id FROM page))
      SELECT n.total, to_jsonb(e) AS entry FROM (SELECT count(*)::int AS total FROM found) n LEFT JOIN (
        SELECT k.rank, ${sql.literal(columns)} FROM page p JOIN ranked k ON k.version_id = p.version_id
          JOIN standing r ON r.version_id = p.version_id AND r.ladder = ${ladder} ${sql.literal(joins)}) e ON true
      ORDER BY e.rank`
  })
})

const makeMatrix = (sql: SqlClient.SqlClient) => ({
  /** Versions of models in a season that have entered, by version_model: the newest of each model. */
  versionsOf: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, models: Schema.Array(Schema.String), limit: Schema.Int }),
    Result: Schema.Struct({ id: Schema.String, model_id: Schema.String }),
    execute: ({ limit, models, season_id }) => sql`
      SELECT v.id, v.model_id FROM unnest(string_to_array(${models.join()}, ',')::uuid[]) asked(model_id) CROSS JOIN LATERAL (
        SELECT w.id, w.model_id FROM version w WHERE w.model_id = asked.model_id AND w.season_id = ${season_id} AND ${sql.literal(published("w"))}
        ORDER BY w.number DESC LIMIT ${limit}) v`
  })
})

/** For the intervals of ranks. */
const makeWhole = (sql: SqlClient.SqlClient) => ({
  /**
   * The ladder's entries, grouped by steps of 8 points of rating and of a sixth of a deviation, however large it is: 6,800
   * groups for 3,200 points with deviations of 12 to 200. Reads all of the ladder by rating_rank; 100,000 entries take 0.1 s.
   */
  groups: SqlSchema.findAll({
    Request: Schema.Struct(ofLadder),
    Result: GroupRow,
    execute: ({ ladder, season_id }) => sql`
      SELECT avg(r.mu) AS mu, avg(r.sigma) AS sigma, count(*)::int AS entries
      FROM (SELECT ${season_id}::uuid AS season_id, ${ladder}::text AS ladder) q
        CROSS JOIN LATERAL ${sql.literal(wholeOf("q.season_id", "q.ladder"))} r
      GROUP BY floor(r.mu / 8), floor(6 * ln(r.sigma))`
  }),

  /** By season_pkey, and the few matches that are being voided. */
  marks: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String }),
    Result: Schema.Struct({ marks: Schema.String }),
    execute: ({ season_id }) => sql`
      SELECT coalesce((SELECT ${sql.literal(ratedMarks)} FROM season s WHERE s.id = ${season_id}), '') AS marks`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeMatrix(sql),
  ...makeSearch(sql),
  ...makeWhole(sql),

  /** A page by rating_rank, read in its order; names only for its rows, by primary keys. */
  page: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofLadder, limit: Schema.Int, offset: Schema.Int }),
    Result: StandingRow,
    execute: ({ ladder, limit, offset, season_id }) => sql`
      SELECT ${sql.literal(columns)} FROM ${best(sql, season_id, ladder, limit, offset)} r ${sql.literal(joins)}
      ORDER BY r.mu DESC, r.version_id`
  }),

  /** The front of rating_rank, with names by primary keys. */
  best: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofLadder, limit: Schema.Int }),
    Result: BestRow,
    execute: ({ ladder, limit, season_id }) => sql`
      SELECT r.version_id, v.model_id, m.name AS model, a.username AS owner, r.mu
      FROM ${best(sql, season_id, ladder, limit)} r ${sql.literal(joins)}
      ORDER BY r.mu DESC, r.version_id`
  }),

  /**
   * The rank of each of the present best at those moments: the last series_point before each, by its primary
   * key; where several moments share a point, its arrays are unnested once.
   */
  stood: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofLadder, points: Schema.Array(Schema.String), limit: Schema.Int }),
    Result: StoodRow,
    execute: ({ ladder, limit, points, season_id }) => sql`
      WITH best AS MATERIALIZED (SELECT version_id FROM ${best(sql, season_id, ladder, limit)} b),
        asked AS (SELECT p.n::int AS n, (SELECT max(s.at) FROM series_point s
            WHERE s.season_id = ${season_id} AND s.ladder = ${ladder} AND s.at <= p.at::timestamptz) AS at
          FROM unnest(string_to_array(${points.join()}, ',')) WITH ORDINALITY p(at, n)),
        stood AS MATERIALIZED (SELECT s.at, u.version_id, u.rank::int AS rank, u.mu FROM series_point s
          CROSS JOIN LATERAL unnest(s.versions, s.mus) WITH ORDINALITY u(version_id, mu, rank) JOIN best b ON b.version_id = u.version_id
          WHERE s.season_id = ${season_id} AND s.ladder = ${ladder} AND s.at IN (SELECT at FROM asked WHERE at IS NOT NULL))
      SELECT a.n AS point, d.version_id, d.rank, d.mu FROM asked a JOIN stood d ON d.at = a.at`
  }),

  /**
   * Counts rating_rank. Not needed for the open ladder: the season's own counter has
   * the number of entered versions.
   */
  total: SqlSchema.findOne({
    Request: Schema.Struct(ofLadder),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: ({ ladder, season_id }) => sql`
      SELECT count(*)::int AS total FROM rating WHERE season_id = ${season_id} AND ladder = ${ladder} AND active`
  })
}))
