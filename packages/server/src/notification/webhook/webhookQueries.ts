/** The statements on webhooks as their owners see and change them. */
import { SeasonWebhook } from "@agon/api/notification/seasonWebhooks.ts"
import { WEBHOOK_DELIVERIES_MAX, WebhookDelivery } from "@agon/api/notification/webhooks.ts"
import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { administers } from "../../account/administers.ts"
import { lockNamed } from "../../database/lockNamed.ts"
import { Instant } from "../../database/rows.ts"

const nullable = Schema.NullOr(Instant)
const Row = Schema.Struct({
  ...SeasonWebhook.fields,
  created_at: Instant,
  failing_since: nullable,
  disabled_at: nullable,
  last_at: nullable
})

/**
 * Whether a webhook `w` of the account `a` may be told anything: nobody who is suspended is; and a season's while whoever made it
 * administers the season, by season_webhook_webhook_id_key and season_admin_pkey.
 */
export const PERMITTED = `NOT a.suspended AND (w.channel <> 'season' OR EXISTS (SELECT 1 FROM season_webhook y
  WHERE y.webhook_id = w.id AND ${administers("y.season_id")}))`

/** How soon a webhook in its pause is asked where its owner has changed or tests it: a post that is under way has ended by then. */
const ASKED_WITHIN = "10 seconds"

/** The columns of a webhook `w`, with the account `a` that made it. */
const COLUMNS = `w.id, w.url, w.created_at, w.failing_since, w.disabled_at, w.last_at, w.last_outcome, a.username AS created_by,
  ${PERMITTED} AS permitted`

/** Whose webhooks are meant: an account's own, or a season's. */
export interface Owner {
  readonly kind: "account" | "season"
  readonly id: string
}

interface Added {
  readonly id: string
  readonly account_id: string
  readonly url: string
  readonly secret: string
  readonly now: Date
  readonly most: number
}

/** Whether a webhook `w` is the owner's: by webhook_account, or season_webhook_pkey. */
const ownedIn =
  (sql: SqlClient.SqlClient) =>
  ({ id, kind }: Owner) =>
    kind === "account"
      ? sql`w.account_id = ${id} AND w.channel = 'web'`
      : sql`w.channel = 'season' AND w.id IN (SELECT o.webhook_id FROM season_webhook o WHERE o.season_id = ${id})`

const decoded = Schema.decodeUnknownEffect(Schema.Array(Row))
const rows = <E>(statement: Effect.Effect<ReadonlyArray<object>, E>) => Effect.flatMap(statement, decoded)
const row = <E>(statement: Effect.Effect<ReadonlyArray<object>, E>) =>
  Effect.map(rows(statement), (found) => Option.fromUndefinedOr(found[0]))

const makeOwn = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(COLUMNS)
  const owned = ownedIn(sql)

  return {
    /** A few rows. */
    list: (owner: Owner) =>
      rows(sql`SELECT ${columns} FROM webhook w JOIN account a ON a.id = w.account_id WHERE ${owned(owner)} ORDER BY w.created_at, w.id`),

    /** One row by webhook_pkey. */
    find: (owner: Owner, id: string) =>
      row(sql`SELECT ${columns} FROM webhook w JOIN account a ON a.id = w.account_id WHERE w.id = ${id} AND ${owned(owner)}`),

    /**
     * To the end of the transaction: webhooks of one owner are counted and made one at a time. An account is held by its row. A season's row
     * is its commits', which wait for no administrator.
     */
    hold: ({ id, kind }: Owner) =>
      kind === "account" ? sql`SELECT id FROM account WHERE id = ${id} FOR NO KEY UPDATE` : lockNamed(sql, `webhooks of season ${id}`),

    /** Inserts one row where the owner, who is held, has fewer than `most`. */
    add: (owner: Owner, { account_id, id, most, now, secret, url }: Added) =>
      row(sql`
        WITH made AS (
          INSERT INTO webhook (id, account_id, url, secret, created_at, channel)
          SELECT ${id}::uuid, ${account_id}::uuid, ${url}::text, ${secret}::text, ${now}::timestamptz, ${owner.kind === "account" ? "web" : "season"}::text
          WHERE (SELECT count(*) FROM webhook w WHERE ${owned(owner)}) < ${most} RETURNING *),
        placed AS (
          INSERT INTO season_webhook (season_id, webhook_id) SELECT ${owner.id}::uuid, m.id FROM made m WHERE m.channel = 'season')
        SELECT w.id, w.url, w.created_at, w.failing_since, w.disabled_at, w.last_at, w.last_outcome, a.username AS created_by, true AS permitted
        FROM made w JOIN account a ON a.id = w.account_id`),

    /** The newest by webhook_attempt_pkey. */
    attempts: SqlSchema.findAll({
      Request: Schema.String,
      Result: Schema.Struct({ ...WebhookDelivery.fields, at: Instant }),
      execute: (webhook_id) => sql`
        SELECT id, kind, subject, attempt, at, outcome FROM webhook_attempt
        WHERE webhook_id = ${webhook_id} ORDER BY seq DESC LIMIT ${WEBHOOK_DELIVERIES_MAX}`
    })
  }
}

const makeChanges = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(COLUMNS)
  const owned = ownedIn(sql)

  return {
    /** Updates one row by webhook_pkey, and ends its pause; at another address it has never failed. One that is switched off keeps nothing that waits, by webhook_delivery_pkey. */
    edit: (owner: Owner, { enabled, id, now, url }: { id: string; url: string | null; enabled: boolean | null; now: Date }) =>
      row(sql`
        WITH edited AS (
          UPDATE webhook w SET url = coalesce(${url}::text, w.url),
            failing_since = CASE WHEN ${enabled}::boolean AND w.disabled_at IS NOT NULL OR ${url}::text <> w.url THEN NULL
              ELSE w.failing_since END,
            busy_until = least(w.busy_until, ${now}::timestamptz + ${ASKED_WITHIN}::interval),
            disabled_at = CASE WHEN ${enabled}::boolean THEN NULL WHEN NOT ${enabled}::boolean THEN coalesce(w.disabled_at, ${now}::timestamptz)
              ELSE w.disabled_at END
          FROM account a WHERE a.id = w.account_id AND w.id = ${id} AND ${owned(owner)} RETURNING ${columns}),
        untold AS (DELETE FROM webhook_delivery d USING edited e WHERE d.webhook_id = e.id AND e.disabled_at IS NOT NULL)
        SELECT * FROM edited`),

    /** Deletes one row by webhook_pkey, and its deliveries by webhook_delivery_pkey. */
    remove: (owner: Owner, id: string) =>
      row(sql`
        WITH gone AS (
          DELETE FROM webhook w USING account a WHERE a.id = w.account_id AND w.id = ${id} AND ${owned(owner)} RETURNING ${columns}),
        undelivered AS (DELETE FROM webhook_delivery d USING gone g WHERE d.webhook_id = g.id)
        SELECT * FROM gone`),

    /** Updates one row by webhook_pkey. */
    rotate: (owner: Owner, { id, secret }: { id: string; secret: string }) =>
      row(sql`
        UPDATE webhook w SET secret = ${secret} FROM account a
        WHERE a.id = w.account_id AND w.id = ${id} AND ${owned(owner)} RETURNING ${columns}`),

    /**
     * Updates one row by webhook_pkey, ends its pause and inserts its test, which takes the place of one that waits and goes before all
     * others, by webhook_delivery_due.
     */
    test: (owner: Owner, { delivery, id, now, subject }: { id: string; delivery: string; subject: string; now: Date }) =>
      row(sql`
        WITH tested AS (
          UPDATE webhook w SET disabled_at = NULL, busy_until = least(w.busy_until, ${now}::timestamptz + ${ASKED_WITHIN}::interval), failing_since = CASE WHEN w.disabled_at IS NULL THEN w.failing_since END
          FROM account a WHERE a.id = w.account_id AND w.id = ${id} AND ${owned(owner)} RETURNING ${columns}),
        waiting AS (DELETE FROM webhook_delivery d USING tested t WHERE d.webhook_id = t.id AND d.kind = 'test'),
        told AS (
          INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
          SELECT t.id, ${delivery}::uuid, 'test', ${subject}::text, ${now}::timestamptz, least(${now}::timestamptz, (
            SELECT d.due_at - interval '1 millisecond' FROM webhook_delivery d WHERE d.webhook_id = t.id ORDER BY d.due_at LIMIT 1)) FROM tested t)
        SELECT * FROM tested`)
  }
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeOwn(sql),
  ...makeChanges(sql)
}))
