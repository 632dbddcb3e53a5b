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
/** A rated match by seat: means from before it, deviations from after it, on the ladder that it was made for. */
export type PlayedRow = typeof PlayedRow.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Rated matches before a number of rating, the latest first, by match_rated; seats by seat_pkey. */
  played: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, before: Schema.Int, limit: Schema.Int }),
    Result: PlayedRow,
    execute: ({ before, limit, season_id }) => sql`
      SELECT m.n, x.owners, x.mus, x.sigmas, x.ranks FROM (SELECT w.id, w.rated_n AS n FROM match w
        WHERE w.season_id = ${season_id} AND w.rated_n < ${before} ORDER BY w.rated_n DESC LIMIT ${limit}) m
      CROSS JOIN LATERAL (SELECT array_agg(y.owner_id::text) AS owners, array_agg(y.made_mu - y.made_change) AS mus,
        array_agg(y.made_sigma) AS sigmas, array_agg(y.rank) AS ranks
        FROM seat y WHERE y.match_id = m.id AND y.made_sigma IS NOT NULL AND y.made_change IS NOT NULL HAVING count(*) > 0) x
      ORDER BY m.n DESC`
  }),

  /** By account_pkey. */
  names: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ id: Schema.String, username: Schema.String }),
    execute: (ids) => sql`SELECT id, username FROM account WHERE id = ANY(${ids}::uuid[])`
  })
}))
