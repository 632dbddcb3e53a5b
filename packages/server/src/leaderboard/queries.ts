/** Every statement that reads ladders. The machine alone writes them. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Entry } from "@agon/api/leaderboard/api.ts"

const { deviation: _d, provisional: _p, rank: _r, rating: _m, ...fields } = Entry.fields

/** Ratings as the machine keeps them: in Elo points around 0. */
export const StandingRow = Schema.Struct({ ...fields, round_matches: Schema.Int, mu: Schema.Number, sigma: Schema.Number })
export type StandingRow = typeof StandingRow.Type

const ofLadder = { season_id: Schema.String, ladder: Schema.String }

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** A page by rating_rank, read in its order; names of its rows alone, by primary keys. */
  page: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofLadder, limit: Schema.Int, offset: Schema.Int }),
    Result: StandingRow,
    execute: ({ ladder, limit, offset, season_id }) => sql`
      SELECT r.version_id, v.model_id, m.name AS model, a.username AS owner, v.number AS version, v.class,
        v.weights_bytes::float8 + v.manifest_bytes AS size_bytes, r.mu, r.sigma, r.matches, r.round_matches,
        v.owner_id IS NULL AS baseline, r.trend, r.history
      FROM (SELECT * FROM rating WHERE season_id = ${season_id} AND ladder = ${ladder} AND active
        ORDER BY mu DESC, version_id LIMIT ${limit} OFFSET ${offset}) r
      JOIN version v ON v.id = r.version_id JOIN model m ON m.id = v.model_id LEFT JOIN account a ON a.id = v.owner_id
      ORDER BY r.mu DESC, r.version_id`
  }),

  /** Counts rating_rank. On open it is not needed: the season's own counter says how many versions have entered. */
  total: SqlSchema.findOne({
    Request: Schema.Struct(ofLadder),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: ({ ladder, season_id }) => sql`
      SELECT count(*)::int AS total FROM rating WHERE season_id = ${season_id} AND ladder = ${ladder} AND active`
  })
}))
