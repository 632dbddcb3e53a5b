/** The statements on runners as administrators see them. */

import { Runner } from "@agon/api/runner/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { leasesOf } from "./session/leaseQueries.ts"
import { SESSIONS_MAX } from "./session/sessionQueries.ts"

const { runtime_known: _, ...runnerFields } = Runner.fields
export const RunnerRow = Schema.Struct({ ...runnerFields, last_seen_at: Instant })
export type RunnerRow = typeof RunnerRow.Type

/** The columns of a runner `r` as administrators see it. */
const runnerColumns = `r.id, r.name, r.key_id, r.runtime_version, r.engines, r.accepts, r.slots, r.state, r.last_seen_at, ${leasesOf} AS leases`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Runners by the key's fleet, newest first: by runner_key_season and runner_of_key; `gone` ones are left out. */
  runners: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.NullOr(Schema.String), limit: Schema.Int, offset: Schema.Int }),
    Result: RunnerRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(runnerColumns)}
      FROM runner r JOIN runner_key k ON k.id = r.key_id
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND r.state <> 'gone'
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  runnerCount: SqlSchema.findOne({
    Request: Schema.NullOr(Schema.String),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (season_id) => sql`
      SELECT count(*)::int AS total FROM runner r JOIN runner_key k ON k.id = r.key_id
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND r.state <> 'gone'`
  }),

  /** The runners of these keys that are not gone, as many of each as it may have at once, by runner_of_key. */
  ofKeys: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: RunnerRow,
    execute: (keys) => sql`
      SELECT r.* FROM runner_key k CROSS JOIN LATERAL (SELECT ${sql.literal(runnerColumns)}, r.created_at FROM runner r
        WHERE r.key_id = k.id AND r.state <> 'gone' ORDER BY r.created_at DESC LIMIT ${SESSIONS_MAX}) r
      WHERE ${sql.in("k.id", keys)} ORDER BY r.created_at DESC`
  }),

  /** Locks one row by the primary key; no row where it is already gone or belongs to another fleet. */
  drain: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String) }),
    Result: Schema.Struct({ ...RunnerRow.fields, fresh: Schema.Boolean }),
    execute: ({ id, season_id }) => sql`
      WITH b AS (SELECT id, state FROM runner WHERE id = ${id} FOR NO KEY UPDATE)
      UPDATE runner r SET state = 'draining' FROM b, runner_key k
      WHERE r.id = b.id AND k.id = r.key_id AND k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND b.state <> 'gone'
      RETURNING ${sql.literal(runnerColumns)}, b.state = 'active' AS fresh`
  })
}))
