/** The statements that look up the resource in a season that a path names. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const Found = Schema.Struct({ found: Schema.Boolean })

const lookup = { Request: Schema.Struct({ season_id: Schema.String, name: Schema.String }), Result: Found }

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by board_pkey. */
  board: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`SELECT EXISTS (SELECT 1 FROM board WHERE season_id = ${season_id} AND map_id = ${name}) AS found`
  }),

  /** One row by model_baseline, and one of version_model: a baseline exists from its first version on. */
  baseline: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM model m JOIN version v ON v.model_id = m.id
        WHERE m.baseline_season = ${season_id} AND m.name = ${name}) AS found`
  }),

  /** One row by round_pkey. */
  round: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) =>
      sql`SELECT EXISTS (SELECT 1 FROM round WHERE season_id = ${season_id} AND n = ${Number(name)}) AS found`
  }),

  /** One row by version_pkey. */
  version: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`SELECT EXISTS (SELECT 1 FROM version WHERE id = ${name} AND season_id = ${season_id}) AS found`
  }),

  /** One row by match_pkey or by live_pkey. */
  match: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM match WHERE id = ${name} AND season_id = ${season_id})
        OR EXISTS (SELECT 1 FROM live WHERE id = ${name} AND season_id = ${season_id}) AS found`
  }),

  /** One row by season_webhook_pkey. */
  webhook: SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) =>
      sql`SELECT EXISTS (SELECT 1 FROM season_webhook WHERE season_id = ${season_id} AND webhook_id = ${name}) AS found`
  })
}))
