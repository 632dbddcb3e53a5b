/** The statements on the keys of runners. */

import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../../database/rows.ts"
import { IN_FORCE, IN_OFFICE } from "../keyInForce.ts"

const KeyRow = Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String), key_sha256: Schema.String })

const FleetKeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String,
  created_at: Instant,
  created_by: Schema.String,
  permitted: Schema.Boolean,
  revoked_at: Schema.NullOr(Instant)
})

/**
 * The columns of a runner key `k`, and where they come from. A key without a creator is that
 * of the service's own runner.
 */
const keys = `k.id, k.name, k.prefix, k.created_at, k.revoked_at, coalesce(a.username, 'service') AS created_by,
  ${IN_OFFICE} AS permitted
  FROM runner_key k LEFT JOIN account a ON a.id = k.created_by`

const makeEnding = (sql: SqlClient.SqlClient) => ({
  /**
   * An account's keys that are not in force any more, by runner_key_creator. Locks them to the end of the transaction, as whoever opens a
   * session under one does, or flags one of its runners.
   */
  lapsed: (account_id: string) => sql<{ readonly id: string }>`
    SELECT k.id FROM runner_key k JOIN account a ON a.id = k.created_by
    WHERE k.created_by = ${account_id} AND k.revoked_at IS NULL AND NOT ${sql.literal(IN_OFFICE)} FOR NO KEY UPDATE OF k`,

  /** Locks one row by the primary key. Of two concurrent revocations one is the first, and is answered the row. */
  revoke: ({ id, now }: { readonly id: string; readonly now: Date }) => sql<{ readonly id: string }>`
    UPDATE runner_key SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL RETURNING id`,

  /**
   * Ends the runners of keys, by runner_of_key. The keys are locked, by a statement before this one: a session that was opened meanwhile
   * is seen.
   */
  endRunners: (keys: ReadonlyArray<string>) => sql`
    UPDATE runner SET state = 'gone' WHERE key_id = ANY (string_to_array(${keys.join()}, ',')::uuid[]) AND state <> 'gone'`
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeEnding(sql),

  /**
   * Keys in force, of accounts that are in office, each by runner_key(key_sha256), unique; hashes in
   * Postgres's text form of bytea: `\x` and hexadecimal digits.
   */
  bySecrets: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: KeyRow,
    execute: (hashes) => sql`
      SELECT k.id, k.season_id, '\\x' || encode(k.key_sha256, 'hex') AS key_sha256
      FROM unnest(string_to_array(${hashes.join()}, ',')::bytea[]) AS asked (hash)
      JOIN runner_key k ON k.key_sha256 = asked.hash LEFT JOIN account a ON a.id = k.created_by
      WHERE ${sql.literal(IN_FORCE)}`
  }),

  /** Inserts one row; a key of the same secret exists already where the service starts again. */
  addKey: (row: {
    readonly id: string
    readonly season_id: string | null
    readonly name: string
    readonly prefix: string
    readonly key_sha256: Uint8Array
    readonly created_by: string | null
    readonly created_at: Date
  }) => sql`INSERT INTO runner_key ${sql.insert(row)} ON CONFLICT (key_sha256) DO NOTHING`,

  /** The platform's keys (season null) or a season's, newest first, by runner_key_season. */
  keys: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.NullOr(Schema.String), limit: Schema.Int, offset: Schema.Int }),
    Result: FleetKeyRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(keys)}
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid
      ORDER BY k.created_at DESC, k.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  keyCount: SqlSchema.findOne({
    Request: Schema.NullOr(Schema.String),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (season_id) => sql`
      SELECT count(*)::int AS total FROM runner_key k WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid`
  }),

  /** One row by the primary key. */
  keyById: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String) }),
    Result: FleetKeyRow,
    execute: ({ id, season_id }) => sql`
      SELECT ${sql.literal(keys)}
      WHERE k.id = ${id} AND k.season_id IS NOT DISTINCT FROM ${season_id}::uuid`
  })
}))
