/** The log of a season as its coincidences need it. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const PlayedRow = Schema.Struct({
  n: Schema.Int,
  owners: Schema.Array(Schema.NullOr(Schema.String)),
  mus: Schema.Array(Schema.Number),
  sigmas: Schema.Array(Schema.Number),
  ranks: Schema.Array(Schema.Int)
})
/**
 * A rated match by seat: means from before it, deviations from after it, on open, also of a match of a class: two
 * owners alone in a class decide each other's rating there. No seats while its ratings wait.
 */
export type PlayedRow = typeof PlayedRow.Type

const EntrantRow = Schema.Struct({
  ...{ id: Schema.String, owner: Schema.String, username: Schema.String, model: Schema.String, version: Schema.Int },
  weights_hash: Schema.String
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Rated matches before a number of rating, the latest first, by match_rated; seats by seat_pkey. */
  played: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, before: Schema.Int, limit: Schema.Int }),
    Result: PlayedRow,
    execute: ({ before, limit, season_id }) => sql`
      SELECT m.n, x.owners, x.mus, x.sigmas, x.ranks FROM (SELECT w.id, w.rated_n AS n FROM match w
        WHERE w.season_id = ${season_id} AND w.rated_n < ${before} ORDER BY w.rated_n DESC LIMIT ${limit}) m
      CROSS JOIN LATERAL (SELECT coalesce(array_agg(y.owner_id::text), '{}') AS owners,
        coalesce(array_agg(coalesce(y.open_mu - y.open_change, y.made_mu - y.made_change)), '{}') AS mus,
        coalesce(array_agg(coalesce(y.open_sigma, y.made_sigma)), '{}') AS sigmas,
        coalesce(array_agg(y.rank), '{}') AS ranks
        FROM seat y WHERE y.match_id = m.id AND y.made_sigma IS NOT NULL AND y.made_change IS NOT NULL) x
      ORDER BY m.n DESC`
  }),

  /**
   * The latest versions that have entered, by version_ord; the others by their keys. The
   * first submitted comes first.
   */
  entrants: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int }),
    Result: EntrantRow,
    execute: ({ limit, season_id }) => sql`
      SELECT v.id, v.owner_id::text AS owner, a.username, m.name AS model, v.number AS version, v.weights_hash
      FROM (SELECT * FROM version w WHERE w.season_id = ${season_id} AND w.owner_id IS NOT NULL AND w.status IN ('entered', 'superseded', 'disqualified')
        ORDER BY w.ord DESC LIMIT ${limit}) v
      JOIN model m ON m.id = v.model_id JOIN account a ON a.id = v.owner_id ORDER BY v.ord`
  }),

  /** The season's baselines by model_baseline, their versions by version_model. */
  baselines: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int }),
    Result: Schema.Struct({ weights_hash: Schema.String }),
    execute: ({ limit, season_id }) => sql`
      SELECT v.weights_hash FROM model m JOIN version v ON v.model_id = m.id AND v.season_id = m.baseline_season
      WHERE m.baseline_season = ${season_id} ORDER BY m.name, v.number LIMIT ${limit}`
  }),

  /** By account_pkey. */
  names: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ id: Schema.String, username: Schema.String }),
    execute: (ids) => sql`SELECT id, username FROM account WHERE id = ANY(${ids}::uuid[])`
  })
}))
