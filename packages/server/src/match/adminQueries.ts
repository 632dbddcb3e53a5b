/** The statement of an administrator's void. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by match_pkey, and one by voiding_pkey. `waiting`: ratings still have the voided match. */
  voided: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.String }),
    Result: Schema.Struct({ waiting: Schema.Boolean }),
    execute: ({ id, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM voiding w WHERE w.season_id = m.season_id AND w.match_id = m.id) AS waiting
      FROM match m WHERE m.id = ${id} AND m.season_id = ${season_id} AND m.status = 'failed' AND m.fault_reason = 'replay_mismatch'`
  })
}))
