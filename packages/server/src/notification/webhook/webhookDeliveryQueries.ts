/** The statements on deliveries to webhooks: taken, delivered, put off, given up. Triggers write those of notifications (migration 0035). */
import { WEBHOOK_DELIVERIES_MAX } from "@agon/api/notification/webhooks.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../../database/rows.ts"
import { waitingAmong } from "../waitingQueries.ts"
import { PERMITTED } from "./webhookQueries.ts"

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
  const noted = notedIn(sql)

  return {
    /**
     * Webhooks among these that are not busy, each with the first delivery that is due, those that were told least recently first: by how long their
     * deliveries wait, a few that answer late and have much to be told would keep all others from their turn. They are busy until
     * their outcome is written, or until `until` where whoever took them is gone. Rows that another node is taking are skipped. The
     * lock does not keep a commit from writing a delivery. None is taken that may not be told anything.
     */
    take: SqlSchema.findAll({
      Request: Schema.Struct({ ids: Schema.Array(Schema.String), now: Schema.Date, until: Schema.Date, limit: Schema.Int }),
      Result: Taken,
      execute: ({ ids, limit, now, until }) => sql`
        WITH ${waitingAmong(sql, ids)}, free AS (
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

/** Whether a webhook `w` of the account `a` is told nothing any more: it is off or gone, or may not be told anything. */
const LOST = `(w.id IS NULL OR w.disabled_at IS NOT NULL OR NOT (${PERMITTED}))`
const FAILING = "(w.channel <> 'mail' AND w.failing_since IS NOT NULL)"
const Ids = Schema.Array(Schema.String)

const makeSweep = (sql: SqlClient.SqlClient) => ({
  /** Those of these webhooks for which something may wait in vain, by webhook_pkey. */
  sweepable: SqlSchema.findAll({
    Request: Ids,
    Result: Schema.Struct({ id: Schema.String }),
    execute: (ids) => sql`
      WITH ${waitingAmong(sql, ids)} SELECT x.webhook_id AS id FROM waiting x LEFT JOIN webhook w ON w.id = x.webhook_id
        LEFT JOIN account a ON a.id = w.account_id WHERE ${sql.literal(`${LOST} OR ${FAILING}`)} ORDER BY x.webhook_id`
  }),

  /**
   * Deletes by webhook_delivery_pkey up to so many rows that are left for webhooks among these that are off or gone, or may not be told
   * anything, and that were told before `lost_before` to one that fails: their turn would come too late. Answers how many.
   */
  sweep: SqlSchema.findOne({
    Request: Schema.Struct({ ids: Ids, lost_before: Schema.Date, limit: Schema.Int }),
    Result: Schema.Struct({ swept: Schema.Int }),
    execute: ({ ids, limit, lost_before }) => sql`
      WITH ${waitingAmong(sql, ids)}, until AS MATERIALIZED (
        SELECT x.webhook_id, CASE WHEN ${sql.literal(LOST)} THEN 'infinity'::timestamptz WHEN ${sql.literal(FAILING)} THEN ${lost_before}::timestamptz END AS at
        FROM waiting x LEFT JOIN webhook w ON w.id = x.webhook_id LEFT JOIN account a ON a.id = w.account_id),
      lost AS (SELECT d.webhook_id, d.id FROM until u JOIN webhook_delivery d ON d.webhook_id = u.webhook_id AND d.created_at < u.at LIMIT ${limit}),
      gone AS (DELETE FROM webhook_delivery d USING lost l WHERE d.webhook_id = l.webhook_id AND d.id = l.id RETURNING 1)
      SELECT count(*)::int AS swept FROM gone`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeDelivering(sql), ...makeSweep(sql) }))
