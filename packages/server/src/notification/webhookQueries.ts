/** Every statement on webhooks and their deliveries. Triggers write the deliveries of notifications (migration 0035). */
import { SeasonWebhook } from "@agon/api/notification/seasonWebhooks.ts"
import { WEBHOOK_DELIVERIES_MAX, WebhookDelivery } from "@agon/api/notification/webhooks.ts"
import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lockNamed } from "../database/lockNamed.ts"
import { Instant } from "../database/rows.ts"

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
  WHERE y.webhook_id = w.id AND (a.admin OR EXISTS (SELECT 1 FROM season_admin x WHERE x.season_id = y.season_id AND x.account_id = a.id))))`

/** How soon a webhook in its pause is asked where its owner has changed or tests it: a post that is under way has ended by then. */
const ASKED_WITHIN = "10 seconds"

/** Of the webhook \`w\` and the account \`a\` that made it. */
const COLUMNS = `w.id, w.url, w.created_at, w.failing_since, w.disabled_at, w.last_at, w.last_outcome, a.username AS created_by,
  ${PERMITTED} AS permitted`

/** A delivery that has its turn, and where it goes. */
const Taken = Schema.Struct({
  ...{ webhook_id: Schema.String, id: Schema.String, url: Schema.String, secret: Schema.String, attempts: Schema.Int },
  ...{ kind: Schema.String, subject: Schema.String, link: Schema.NullOr(Schema.String), created_at: Instant },
  /** Null for an account's. */
  ...{ game: Schema.NullOr(Schema.String), season: Schema.NullOr(Schema.String) }
})
export type Taken = typeof Taken.Type

const Tried = Schema.Struct({ webhook_id: Schema.String, id: Schema.String, now: Schema.Date, outcome: Schema.String })
const Told = Schema.Struct({ ...Tried.fields, kind: Schema.String, subject: Schema.String, attempts: Schema.Int })

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
    /** Updates one row by webhook_pkey, and ends its pause. One that is switched off keeps nothing that waits, by webhook_delivery_pkey. */
    edit: (owner: Owner, { enabled, id, now, url }: { id: string; url: string | null; enabled: boolean | null; now: Date }) =>
      row(sql`
        WITH edited AS (
          UPDATE webhook w SET url = coalesce(${url}::text, w.url),
            failing_since = CASE WHEN ${enabled}::boolean AND w.disabled_at IS NOT NULL THEN NULL ELSE w.failing_since END,
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

/** The webhooks that have deliveries, one after the other by webhook_delivery_due: no row of the same one is read twice. */
export const waitingOf = (sql: SqlClient.SqlClient) => sql`
  WITH RECURSIVE waiting AS (
    (SELECT webhook_id FROM webhook_delivery ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_delivery d WHERE d.webhook_id > w.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting w WHERE w.webhook_id IS NOT NULL)`

/** An attempt, and the end of those before the last twenty: by webhook_pkey and webhook_attempt_pkey. */
const notedIn =
  (sql: SqlClient.SqlClient) =>
  ({ attempts, id, kind, now, outcome, subject, webhook_id }: typeof Told.Type) =>
    sql`
    tried AS (
      INSERT INTO webhook_attempt (webhook_id, id, kind, subject, attempt, at, outcome)
      SELECT w.id, ${id}::uuid, ${kind}::text, ${subject}::text, ${attempts}::int + 1, ${now}::timestamptz, ${outcome}::text
      FROM webhook w WHERE w.id = ${webhook_id}),
    forgotten AS (
      DELETE FROM webhook_attempt a USING (
        SELECT o.seq FROM webhook_attempt o WHERE o.webhook_id = ${webhook_id} ORDER BY o.seq DESC OFFSET ${WEBHOOK_DELIVERIES_MAX - 1}) old
      WHERE a.webhook_id = ${webhook_id} AND a.seq = old.seq)`

const makeDelivering = (sql: SqlClient.SqlClient) => {
  const waiting = waitingOf(sql)
  const noted = notedIn(sql)

  return {
    /**
     * Webhooks that are not busy, each with the first delivery that is due, those that were told least recently first: by how long their
     * deliveries wait, a few that answer late and have much to be told would keep all others from their turn. They are busy until
     * their outcome is written, or until `until` where whoever took them is gone. Rows that another node is taking are skipped. The
     * lock does not keep a commit from writing a delivery. None is taken that may not be told anything.
     */
    take: SqlSchema.findAll({
      Request: Schema.Struct({ now: Schema.Date, until: Schema.Date, limit: Schema.Int }),
      Result: Taken,
      execute: ({ limit, now, until }) => sql`
        ${waiting}, free AS (
          SELECT w.id, d.id AS delivery FROM waiting x JOIN webhook w ON w.id = x.webhook_id
            JOIN account a ON a.id = w.account_id AND ${sql.literal(PERMITTED)} CROSS JOIN LATERAL (
            SELECT d.id, d.due_at FROM webhook_delivery d WHERE d.webhook_id = x.webhook_id AND d.due_at <= ${now}
            ORDER BY d.due_at LIMIT 1) d
          WHERE w.channel IN ('web', 'season') AND w.disabled_at IS NULL AND w.busy_until <= ${now}
          ORDER BY coalesce(w.last_at, w.created_at), d.due_at LIMIT ${limit} FOR NO KEY UPDATE OF w SKIP LOCKED),
        taken AS (UPDATE webhook w SET busy_until = ${until} FROM free f WHERE w.id = f.id RETURNING w.id, w.url, w.secret, f.delivery)
        SELECT t.id AS webhook_id, t.url, t.secret, d.id, d.kind, d.subject, d.link, d.created_at, d.attempts, s.game, s.slug AS season
        FROM taken t JOIN webhook_delivery d ON d.webhook_id = t.id AND d.id = t.delivery
          LEFT JOIN season_webhook y ON y.webhook_id = t.id LEFT JOIN season s ON s.id = y.season_id`
    }),

    /** Deletes the delivery by webhook_delivery_pkey, updates its webhook by webhook_pkey and notes the attempt. */
    delivered: SqlSchema.void({
      Request: Told,
      execute: ({ attempts, id, kind, now, outcome, subject, webhook_id }) => sql`
        WITH ${noted({ attempts, id, kind, now, outcome, subject, webhook_id })}, done AS (DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id} AND id = ${id})
        UPDATE webhook SET busy_until = '-infinity', failing_since = NULL, last_at = ${now}, last_outcome = ${outcome}
        WHERE id = ${webhook_id}`
    }),

    /**
     * Does the same with the same rows, but puts the delivery off, or deletes the delivery where there is no next time. Answers since when
     * the webhook fails. It is not asked for a quarter of that time, an hour at most, which is less than the time to the same delivery's
     * next attempt: a receiver that is gone is not asked once for each that waits.
     */
    failed: SqlSchema.findOneOption({
      Request: Schema.Struct({ ...Told.fields, due_at: Schema.NullOr(Schema.Date) }),
      Result: Schema.Struct({ failing_since: Schema.Date }),
      execute: ({ attempts, due_at, id, kind, now, outcome, subject, webhook_id }) => sql`
        WITH ${noted({ attempts, id, kind, now, outcome, subject, webhook_id })}, later AS (
          UPDATE webhook_delivery SET due_at = ${due_at}::timestamptz, attempts = attempts + 1
          WHERE webhook_id = ${webhook_id} AND id = ${id} AND ${due_at}::timestamptz IS NOT NULL),
        over AS (
          DELETE FROM webhook_delivery WHERE webhook_id = ${webhook_id} AND id = ${id} AND ${due_at}::timestamptz IS NULL)
        UPDATE webhook SET busy_until = ${now}::timestamptz + least(interval '1 hour', (${now}::timestamptz - coalesce(failing_since, ${now}::timestamptz)) / 4),
          failing_since = coalesce(failing_since, ${now}), last_at = ${now}, last_outcome = ${outcome}
        WHERE id = ${webhook_id} RETURNING failing_since`
    }),

    /** Updates one row by webhook_pkey, once. Answers whom to tell: the owner, or the season's administrators by season_admin_pkey. */
    switchOff: SqlSchema.findOneOption({
      Request: Schema.Struct({ webhook_id: Schema.String, now: Schema.Date }),
      Result: Schema.Struct({ accounts: Schema.Array(Schema.String), url: Schema.String, season: Schema.NullOr(Schema.String) }),
      execute: ({ now, webhook_id }) => sql`
        WITH off AS (UPDATE webhook SET disabled_at = ${now} WHERE id = ${webhook_id} AND disabled_at IS NULL RETURNING id, account_id, url)
        SELECT o.url, s.name AS season, to_jsonb(o.account_id)
          || coalesce((SELECT jsonb_agg(x.account_id) FROM season_admin x WHERE x.season_id = y.season_id), '[]') AS accounts
        FROM off o LEFT JOIN season_webhook y ON y.webhook_id = o.id LEFT JOIN season s ON s.id = y.season_id`
    })
  }
}

const makeSweep = (sql: SqlClient.SqlClient) => ({
  /**
   * Deletes by webhook_delivery_pkey what is left for webhooks that are off or gone, or may not be told anything, and what was told before
   * `lost_before` to one that fails: its turn would come too late.
   */
  sweep: (lost_before: Date) => sql`
    ${waitingOf(sql)} DELETE FROM webhook_delivery d USING waiting x
    WHERE d.webhook_id = x.webhook_id AND NOT EXISTS (
      SELECT 1 FROM webhook w JOIN account a ON a.id = w.account_id
      WHERE w.id = x.webhook_id AND w.disabled_at IS NULL AND ${sql.literal(PERMITTED)}
        AND (w.channel = 'mail' OR w.failing_since IS NULL OR d.created_at >= ${lost_before}))`
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeOwn(sql),
  ...makeChanges(sql),
  ...makeDelivering(sql),
  ...makeSweep(sql)
}))
