/** The statements that store what is kept of lists (ListStore.ts). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const KeptRow = Schema.Struct({
  season_id: Schema.String,
  marks: Schema.String,
  kept_to: Schema.Date,
  total: Schema.Int,
  whole: Schema.Boolean,
  last_trial: Schema.NullOr(Schema.Date),
  rows: Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.Number), Schema.Number]))
})
export type KeptRow = typeof KeptRow.Type

/** Rows of all lists, some 5 kB each. */
export const STORED_MAX = 5_000

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** A row for each season, by kept_list_pkey. */
  keptOf: SqlSchema.findAll({
    Request: Schema.String,
    Result: KeptRow,
    execute: (name) => sql`SELECT season_id, marks, kept_to, total, whole, last_trial, rows FROM kept_list WHERE name = ${name}`
  }),

  /**
   * Rows by kept_list_pkey, of seasons that have not been removed since, by season_pkey. Nodes store at the same time: whatever
   * stays was true once, and its marks say for how long.
   */
  storeKept: ({ name, now, seasons }: { readonly name: string; readonly now: Date; readonly seasons: ReadonlyArray<KeptRow> }) => sql`
    INSERT INTO kept_list (name, season_id, marks, kept_to, total, whole, last_trial, rows, stored_at)
    SELECT ${name}, r.season_id, r.marks, r.kept_to, r.total, r.whole, r.last_trial, r.rows, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(seasons)}::jsonb)
      r(season_id uuid, marks text, kept_to timestamptz, total int, whole boolean, last_trial timestamptz, rows jsonb)
    WHERE EXISTS (SELECT 1 FROM season s WHERE s.id = r.season_id)
    ON CONFLICT (name, season_id) DO UPDATE SET marks = excluded.marks, kept_to = excluded.kept_to, total = excluded.total,
      whole = excluded.whole, last_trial = excluded.last_trial, rows = excluded.rows, stored_at = excluded.stored_at`,

  /** Those that were stored longest ago, by kept_list_stored. */
  forgetKept: (most: number) => sql`
    DELETE FROM kept_list WHERE stored_at < (SELECT k.stored_at FROM kept_list k ORDER BY k.stored_at DESC OFFSET ${most - 1} LIMIT 1)`
}))
