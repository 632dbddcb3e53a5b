/** The statement on an open match whose replay is checked before its result counts. */

import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const OpenMatch = Schema.Struct({
  game: Schema.String,
  engine_digest: Schema.String,
  seed: Schema.Number,
  board: Schema.Unknown,
  rules: Schema.Struct({ max_turns: Schema.Int, strike_limit: Schema.Int }),
  /** By number. */
  seats: Schema.Array(Schema.Struct({ weights_hash: Schema.String, manifest_hash: Schema.String }))
})
export type OpenMatch = typeof OpenMatch.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row of the small `live` by its primary key; the rest by primary keys. */
  openMatch: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, id: Schema.String }),
    Result: OpenMatch,
    execute: ({ id, season_id }) => sql`
      SELECT s.game, s.engine_digest, l.seed::float8 AS seed, b.file AS board, s.rules->'match' AS rules,
        (SELECT jsonb_agg(jsonb_build_object('weights_hash', v.weights_hash, 'manifest_hash', v.manifest_hash) ORDER BY u.seat)
          FROM unnest(l.versions) WITH ORDINALITY AS u (id, seat) JOIN version v ON v.id = u.id) AS seats
      FROM live l JOIN season s ON s.id = l.season_id JOIN board b ON b.season_id = l.season_id AND b.map_id = l.map_id
      WHERE l.season_id = ${season_id} AND l.id = ${id}`
  })
}))
