/** Every statement on webhooks and their deliveries. Triggers write the deliveries of notifications (migration 0035). */
import { Webhook } from "@agon/api/notification/webhooks.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

const nullable = Schema.NullOr(Instant)
const Row = Schema.Struct({ ...Webhook.fields, created_at: Instant, failing_since: nullable, disabled_at: nullable, last_at: nullable })
const COLUMNS = "id, url, created_at, failing_since, disabled_at, last_at, last_outcome"

/** A delivery that has its turn, and where it goes. */
const Taken = Schema.Struct({
  ...{ webhook_id: Schema.String, id: Schema.String, url: Schema.String, secret: Schema.String, attempts: Schema.Int },
  ...{ kind: Schema.String, subject: Schema.String, link: Schema.NullOr(Schema.String), created_at: Instant }
})
export type Taken = typeof Taken.Type

const Owned = Schema.Struct({ id: Schema.String, account_id: Schema.String })
const Tried = Schema.Struct({ webhook_id: Schema.String, id: Schema.String, now: Schema.Date, outcome: Schema.String })

const makeOwn = (sql: SqlClient.SqlClient) => ({
  /** A few rows by webhook_account. */
  list: SqlSchema.findAll({
    Request: Schema.String,
    Result: Row,
    execute: (account_id) => sql`SELECT ${sql.literal(COLUMNS)} FROM webhook
      WHERE account_id = ${account_id} AND channel = 'web' ORDER BY created_at, id`
  }),

  /** One row by account_pkey, to the end of the transaction: webhooks of an account are counted and made one at a time. */
  holdAccount: (account_id: string) => sql`SELECT id FROM account WHERE id = ${account_id} FOR NO KEY UPDATE`,

  /** Inserts one row where the account, which is held, has fewer than `most`. */
  add: SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...{ id: Schema.String, account_id: Schema.String, url: Schema.String, secret: Schema.String },
      ...{ now: Schema.Date, most: Schema.Int }
    }),
    Result: Row,
    execute: ({ account_id, id, most, now, secret, url }) => sql`
      INSERT INTO webhook (id, account_id, url, secret, created_at)
      SELECT ${id}::uuid, ${account_id}::uuid, ${url}::text, ${secret}::text, ${now}::timestamptz
      WHERE (SELECT count(*) FROM webhook WHERE account_id = ${account_id} AND channel = 'web') < ${most}
      RETURNING ${sql.literal(COLUMNS)}`
  }),

  /** Deletes one row by webhook_pkey, and its deliveries by webhook_delivery_pkey. */
  remove: SqlSchema.findOneOption({
    Request: Owned,
    Result: Row,
    execute: ({ account_id, id }) => sql`
      WITH gone AS (DELETE FROM webhook WHERE id = ${id} AND account_id = ${account_id} AND channel = 'web' RETURNING ${sql.literal(COLUMNS)}),
      undelivered AS (DELETE FROM webhook_delivery d USING gone g WHERE d.webhook_id = g.id)
      SELECT * FROM gone`
  }),

  /** Updates one row by webhook_pkey and inserts its test, which takes the place of one that waits. */
  test: SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Owned.fields, delivery: Schema.String, subject: Schema.String, now: Schema.Date }),
    Result: Row,
    execute: ({ account_id, delivery, id, now, subject }) => sql`
      WITH tested AS (
        UPDATE webhook SET disabled_at = NULL, failing_since = CASE WHEN disabled_at IS NULL THEN failing_since END
        WHERE id = ${id} AND account_id = ${account_id} AND channel = 'web' RETURNING ${sql.literal(COLUMNS)}),
      waiting AS (DELETE FROM webhook_delivery d USING tested t WHERE d.webhook_id = t.id AND d.kind = 'test'),
      told AS (
        INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
        SELECT t.id, ${delivery}::uuid, 'test', ${subject}::text, ${now}::timestamptz, ${now}::timestamptz FROM tested t)
      SELECT * FROM tested`
  })
})

/** The webhooks that have deliveries, one after the other by webhook_delivery_due: no row of the same one is read twice. */
export const waitingOf = (sql: SqlClient.SqlClient) => sql`
  WITH RECURSIVE waiting AS (
    (SELECT webhook_id FROM webhook_delivery ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.webhook_id > w.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting w WHERE w.webhook_id IS NOT NULL)`

const makeDelivering = (sql: SqlClient.SqlClient) => {
  const waiting = waitingOf(sql)

  return {
    /**
     * Webhooks that are not busy, each with the first delivery that is due, those that have waited longest first. They are busy until
     * their outcome is written, or until `until` where whoever took them is gone. Rows that another node is taking are skipped. The
     * lock does not keep a commit from writing a delivery. Nobody who is suspended is told anything.
     */
    take: SqlSchema.findAll({
      Request: Schema.Struct({ now: Schema.Date, until: Schema.Date, limit: Schema.Int }),
      Result: Taken,
      execute: ({ limit, now, until }) => sql`
        ${waiting}, free AS (
          SELECT w.id, d.id AS delivery FROM waiting x JOIN webhook w ON w.id = x.webhook_id
            JOIN account a ON a.id = w.account_id AND NOT a.suspended CROSS JOIN LATERAL (
            SELECT d.id, d.due_at FROM webhook_delivery d WHERE d.webhook_id = x.webhook_id AND d.due_at <= ${now}
            ORDER BY d.due_at LIMIT 1) d
          WHERE w.channel = 'web' AND w.disabled_at IS NULL AND w.busy_until <= ${now}
          ORDER BY d.due_at LIMIT ${limit} FOR NO KEY UPDATE OF w SKIP LOCKED),
        taken AS (UPDATE webhook w SET busy_until = ${until} FROM free f WHERE w.id = f.id RETURNING w.id, w.url, w.secret, f.delivery)
        SELECT t.id AS webhook_id, t.url, t.secret, d.id, d.kind, d.subject, d.link, d.created_at, d.attempts
        FROM taken t JOIN webhook_delivery d ON d.webhook_id = t.id AND d.id = t.delivery`
    }),

    /** Deletes the delivery by webhook_delivery_pkey, and updates its webhook by webhook_pkey. */
    delivered: SqlSchema.void({
      Request: Tried,
      execute: ({ id, now, outcome, webhook_id }) => sql`
        WITH done AS (DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id} AND id = ${id})
        UPDATE webhook SET busy_until = '-infinity', failing_since = NULL, last_at = ${now}, last_outcome = ${outcome}
        WHERE id = ${webhook_id}`
    }),

    /** Updates the same two rows, or deletes the delivery where there is no next time. Answers since when the webhook fails. */
    failed: SqlSchema.findOneOption({
      Request: Schema.Struct({ ...Tried.fields, due_at: Schema.NullOr(Schema.Date) }),
      Result: Schema.Struct({ failing_since: Schema.Date }),
      execute: ({ due_at, id, now, outcome, webhook_id }) => sql`
        WITH later AS (
          UPDATE webhook_delivery SET due_at = ${due_at}::timestamptz, attempts = attempts + 1
          WHERE webhook_id = ${webhook_id} AND id = ${id} AND ${due_at}::timestamptz IS NOT NULL),
        over AS (
          DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id} AND id = ${id} AND ${due_at}::timestamptz IS NULL)
        UPDATE webhook SET busy_until = '-infinity', failing_since = coalesce(failing_since, ${now}), last_at = ${now}, last_outcome = ${outcome}
        WHERE id = ${webhook_id} RETURNING failing_since`
    }),

    /** Updates one row by webhook_pkey, once. */
    switchOff: SqlSchema.findOneOption({
      Request: Schema.Struct({ webhook_id: Schema.String, now: Schema.Date }),
      Result: Schema.Struct({ account_id: Schema.String, url: Schema.String }),
      execute: ({ now, webhook_id }) => sql`
        UPDATE webhook SET disabled_at = ${now} WHERE id = ${webhook_id} AND disabled_at IS NULL RETURNING account_id, url`
    }),

    /** Deletes what is left for webhooks that are off or gone, or whose account is suspended, by webhook_delivery_pkey. */
    sweep: () => sql`
      ${waiting} DELETE FROM webhook_delivery d USING waiting x
      WHERE d.webhook_id = x.webhook_id AND NOT EXISTS (
        SELECT 1 FROM webhook w JOIN account a ON a.id = w.account_id
        WHERE w.id = x.webhook_id AND w.disabled_at IS NULL AND NOT a.suspended)`
  }
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeOwn(sql), ...makeDelivering(sql) }))
