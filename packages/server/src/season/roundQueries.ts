/** Every statement that reads rounds. Only the machine writes them. */
import { Round } from "@agon/api/season/rounds.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

const RoundRow = Schema.Struct({
  ...Round.fields,
  starts_at: Instant,
  started_at: Schema.NullOr(Instant),
  ended_at: Schema.NullOr(Instant)
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(`n, kind, games, starts_at, started_at, ended_at,
    CASE WHEN withdrawn THEN 'withdrawn' WHEN started_at IS NULL THEN 'pending' WHEN ended_at IS NULL THEN 'current' ELSE 'over' END AS state`)
  return {
    /** By round_pkey, in their order. */
    rounds: SqlSchema.findAll({
      Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
      Result: RoundRow,
      execute: ({ limit, offset, season_id }) => sql`
        SELECT ${columns} FROM round WHERE season_id = ${season_id} ORDER BY n LIMIT ${limit} OFFSET ${offset}`
    }),
    /** One row by round_pkey. */
    round: SqlSchema.findOne({
      Request: Schema.Struct({ season_id: Schema.String, n: Schema.Int }),
      Result: RoundRow,
      execute: ({ n, season_id }) => sql`SELECT ${columns} FROM round WHERE season_id = ${season_id} AND n = ${n}`
    }),
    /** By round_pkey, a few rows; and whether the season is closing, by its primary key. */
    counted: SqlSchema.findOne({
      Request: Schema.String,
      Result: Schema.Struct({ total: Schema.Int, closing: Schema.Boolean }),
      execute: (season_id) => sql`
        SELECT (SELECT count(*)::int FROM round r WHERE r.season_id = s.id) AS total, s.close_requested_at IS NOT NULL AS closing
        FROM season s WHERE s.id = ${season_id}`
    })
  }
})
