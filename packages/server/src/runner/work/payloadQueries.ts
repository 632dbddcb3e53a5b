/** The statements on what lease payloads say of versions, boards and seasons. */

import { Rules, WeightClass } from "@agon/api/season/Rules.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const Files = Schema.Struct({
  id: Schema.String,
  weights_hash: Schema.String,
  weights_bytes: Schema.Int,
  manifest_hash: Schema.String,
  manifest_bytes: Schema.Int
})
export type Files = typeof Files.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Rows by the primary key. */
  files: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Files,
    execute: (ids) => sql`
      SELECT id, weights_hash, weights_bytes, manifest_hash, manifest_bytes FROM version WHERE ${sql.in("id", ids)}`
  }),

  /** One row by the primary key. */
  boardFile: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, map_id: Schema.String }),
    Result: Schema.Struct({ file: Schema.Json }),
    execute: ({ map_id, season_id }) => sql`SELECT file FROM board WHERE season_id = ${season_id} AND map_id = ${map_id}`
  }),

  /** One season by its primary key with its boards. */
  examinedBy: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({
      game: Schema.String,
      engine_digest: Schema.String,
      rules: Rules,
      weight_classes: Schema.Array(WeightClass),
      boards: Schema.Array(Schema.Struct({ map_id: Schema.String, rows: Schema.Int, cols: Schema.Int, players: Schema.Int }))
    }),
    execute: (season_id) => sql`
      SELECT s.game, s.engine_digest, s.rules, s.weight_classes,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('map_id', b.map_id, 'rows', b.rows, 'cols', b.cols, 'players', b.players) ORDER BY b.ord), '[]')
          FROM board b WHERE b.season_id = s.id) AS boards
      FROM season s WHERE s.id = ${season_id}`
  })
}))
