/** The webhooks and mailboxes that have deliveries, in the parts in which takes.ts and others go through them. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { NIL } from "../database/rows.ts"
import { PERMITTED } from "./webhook/webhookQueries.ts"

/** Since when a delivery of each channel has been due; null where none is. */
const Oldest = Schema.Struct({ web: Schema.NullOr(Schema.Date), mail: Schema.NullOr(Schema.Date) })
export type Oldest = typeof Oldest.Type

/** Those after this id, one after the other by webhook_delivery_due: no row of the same one is read twice. The last row is null. */
const waitingOf = (sql: SqlClient.SqlClient, after: string) => sql`
  WITH RECURSIVE waiting AS (
    (SELECT webhook_id FROM webhook_delivery WHERE webhook_id > ${after}::uuid ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.webhook_id > w.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting w WHERE w.webhook_id IS NOT NULL)`

/** These ids as the rows of `waiting`, for a statement that goes on from there. */
export const waitingAmong = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  sql`waiting AS MATERIALIZED (SELECT x.id::uuid AS webhook_id FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) AS x (id))`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** So many ids after this one. */
  waitingAfter: SqlSchema.findAll({
    Request: Schema.Struct({ after: Schema.String, limit: Schema.Int }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ after, limit }) => sql`
      ${waitingOf(sql, after)} SELECT webhook_id AS id FROM waiting WHERE webhook_id IS NOT NULL LIMIT ${limit}`
  }),

  /** The first that is due of each of these that is on and not busy, and may be told something: by webhook_delivery_due. */
  oldestOf: SqlSchema.findOne({
    Request: Schema.Struct({ ids: Schema.Array(Schema.String), now: Schema.Date }),
    Result: Oldest,
    execute: ({ ids, now }) => sql`
      WITH ${waitingAmong(sql, ids)}, next AS (
        SELECT w.channel, greatest(d.due_at, w.busy_until) AS since FROM waiting x JOIN webhook w ON w.id = x.webhook_id
          JOIN account a ON a.id = w.account_id AND ${sql.literal(PERMITTED)} CROSS JOIN LATERAL (
          SELECT d.due_at FROM webhook_delivery d WHERE d.webhook_id = x.webhook_id AND d.due_at <= ${now} ORDER BY d.due_at LIMIT 1) d
        WHERE w.disabled_at IS NULL AND w.busy_until <= ${now})
      SELECT min(since) FILTER (WHERE channel <> 'mail') AS web, min(since) FILTER (WHERE channel = 'mail') AS mail FROM next`
  })
}))

type Waiting = Pick<Effect.Success<typeof makeQueries>, "waitingAfter">

/** The part of up to `limit` ids after this one, and the id that the next part comes after: NIL behind the last part. */
export const partAfter = ({ waitingAfter }: Waiting, after: string, limit: number) =>
  Effect.map(waitingAfter({ after, limit }), (rows) => ({
    ids: rows.map(({ id }) => id),
    next: rows.length < limit ? NIL : rows.at(-1)!.id
  }))
