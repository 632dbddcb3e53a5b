/** Every statement on the mails of accounts: webhooks whose channel is `mail` (migration 0037). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { waitingAmong } from "../waitingQueries.ts"

/** A mailbox that has its turn. `email` is null where no provider has verified an address any more. */
const Mailbox = Schema.Struct({
  ...{ webhook_id: Schema.String, secret: Schema.String, account_id: Schema.String, username: Schema.String },
  email: Schema.NullOr(Schema.String)
})
export type Mailbox = typeof Mailbox.Type

const Waiting = Schema.Struct({ id: Schema.String, subject: Schema.String, attempts: Schema.Int, created_at: Schema.Date })
export type Waiting = typeof Waiting.Type

const Tried = { webhook_id: Schema.String, ids: Schema.Array(Schema.String), now: Schema.Date, until: Schema.Date, outcome: Schema.String }

const makeOwn = (sql: SqlClient.SqlClient) => {
  /** The address that was verified at the latest sign-in, by identity_account. */
  const email = (account_id: string) =>
    sql`(SELECT i.email FROM identity i WHERE i.account_id = ${account_id} AND i.email IS NOT NULL ORDER BY i.email_at DESC, i.provider LIMIT 1)`

  return {
    /** One row: whether the account has mails, by webhook_account, and where to. */
    mailbox: SqlSchema.findOne({
      Request: Schema.String,
      Result: Schema.Struct({ enabled: Schema.Boolean, email: Schema.NullOr(Schema.String) }),
      execute: (account_id) => sql`
        SELECT EXISTS (SELECT 1 FROM webhook w WHERE w.account_id = ${account_id} AND w.channel = 'mail' AND w.disabled_at IS NULL) AS enabled,
          ${email(account_id)} AS email`
    }),

    /**
     * Updates the account's row by webhook_account, or inserts it. The account is held (webhookQueries.ts):
     * there is never a second one.
     */
    enableMail: SqlSchema.void({
      Request: Schema.Struct({ id: Schema.String, account_id: Schema.String, secret: Schema.String, now: Schema.Date }),
      execute: ({ account_id, id, now, secret }) => sql`
        WITH known AS (
          UPDATE webhook SET disabled_at = NULL, failing_since = CASE WHEN disabled_at IS NULL THEN failing_since END
          WHERE account_id = ${account_id} AND channel = 'mail' RETURNING id)
        INSERT INTO webhook (id, account_id, url, secret, channel, created_at)
        SELECT ${id}::uuid, ${account_id}::uuid, 'mailto:', ${secret}::text, 'mail', ${now}::timestamptz
        WHERE NOT EXISTS (SELECT 1 FROM known)`
    }),

    /**
     * Updates the account's row by webhook_account and deletes what waits for it. The row stays, for the
     * links of mails that were sent.
     */
    disableMail: SqlSchema.void({
      Request: Schema.Struct({ account_id: Schema.String, now: Schema.Date }),
      execute: ({ account_id, now }) => sql`
        WITH off AS (
          UPDATE webhook SET disabled_at = coalesce(disabled_at, ${now}) WHERE account_id = ${account_id} AND channel = 'mail' RETURNING id)
        DELETE FROM webhook_delivery d USING off WHERE d.webhook_id = off.id`
    }),

    /** One row by webhook_pkey: whose mails a link is about, and the key that has signed it. */
    signer: SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Schema.Struct({ account_id: Schema.String, secret: Schema.String }),
      execute: (id) => sql`SELECT account_id, secret FROM webhook WHERE id = ${id} AND channel = 'mail'`
    })
  }
}

const makeDelivering = (sql: SqlClient.SqlClient) => ({
  /**
   * Mailboxes among these that are not busy and have a delivery that was due at `gathered`, as webhooks are
   * taken (webhookDeliveryQueries.ts). They are busy until `until`, whoever took them is gone or not.
   * Nobody who is suspended is mailed.
   */
  takeMail: SqlSchema.findAll({
    Request: Schema.Struct({
      ids: Schema.Array(Schema.String),
      now: Schema.Date,
      gathered: Schema.Date,
      until: Schema.Date,
      limit: Schema.Int
    }),
    Result: Mailbox,
    execute: ({ gathered, ids, limit, now, until }) => sql`
      WITH ${waitingAmong(sql, ids)}, free AS (
        SELECT w.id FROM waiting x JOIN webhook w ON w.id = x.webhook_id
          JOIN account a ON a.id = w.account_id AND NOT a.suspended CROSS JOIN LATERAL (
          SELECT d.due_at FROM webhook_delivery d WHERE d.webhook_id = x.webhook_id AND d.due_at <= ${gathered}
          ORDER BY d.due_at LIMIT 1) d
        WHERE w.channel = 'mail' AND w.disabled_at IS NULL AND w.busy_until <= ${now}
        ORDER BY d.due_at LIMIT ${limit} FOR NO KEY UPDATE OF w SKIP LOCKED),
      taken AS (UPDATE webhook w SET busy_until = ${until} FROM free f WHERE w.id = f.id RETURNING w.id, w.secret, w.account_id)
      SELECT t.id AS webhook_id, t.secret, t.account_id, a.username, i.email FROM taken t JOIN account a ON a.id = t.account_id
        LEFT JOIN LATERAL (
          SELECT i.email FROM identity i WHERE i.account_id = t.account_id AND i.email IS NOT NULL
          ORDER BY i.email_at DESC, i.provider LIMIT 1) i ON true`
  }),

  /** All that waits for one mailbox, the oldest first: a thousand rows at most, by webhook_delivery_pkey. */
  news: SqlSchema.findAll({
    Request: Schema.String,
    Result: Waiting,
    execute: (webhook_id) => sql`
      SELECT id, subject, attempts, created_at FROM webhook_delivery WHERE webhook_id = ${webhook_id} ORDER BY created_at, id`
  }),

  /**
   * Deletes what was told by webhook_delivery_pkey, and updates the mailbox by webhook_pkey: the
   * next mail is not before `until`.
   */
  mailed: SqlSchema.void({
    Request: Schema.Struct(Tried),
    execute: ({ ids, now, outcome, until, webhook_id }) => sql`
      WITH done AS (
        DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id}
          AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid))
      UPDATE webhook SET busy_until = ${until}, failing_since = NULL, last_at = ${now}, last_outcome = ${outcome} WHERE id = ${webhook_id}`
  }),

  /** Updates the same rows, and deletes those from before `lost_before`. Answers since when the mailbox fails, by its address and not by the server. */
  notMailed: SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Tried, lost_before: Schema.Date, of_address: Schema.Boolean }),
    Result: Schema.Struct({ failing_since: Schema.NullOr(Schema.Date) }),
    execute: ({ ids, lost_before, now, of_address, outcome, until, webhook_id }) => sql`
      WITH lost AS (DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id} AND created_at <= ${lost_before}),
      later AS (
        UPDATE webhook_delivery SET attempts = attempts + 1 WHERE webhook_id = ${webhook_id} AND created_at > ${lost_before}
          AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid))
      UPDATE webhook SET busy_until = ${until}, last_at = ${now}, last_outcome = ${outcome},
        failing_since = CASE WHEN ${of_address} THEN coalesce(failing_since, ${now}) ELSE failing_since END
      WHERE id = ${webhook_id} RETURNING failing_since`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeOwn(sql), ...makeDelivering(sql) }))
