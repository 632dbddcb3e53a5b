/** Every statement on notifications, on notices of the platform, and on the settings of accounts. */
import { Notification, NotificationKind } from "@agon/api/notification/Notification.ts"
import { Notice } from "@agon/api/season/notices.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

/** The most that an account can read: older rows are deleted when it is next told something, a few at a time. */
export const FEED_MAX = 1_000
/** Rows deleted at a time: more than one, so that an overlong feed shrinks; few, so that no writer waits for it. */
const LET_GO_MAX = 100

const makeTelling = (sql: SqlClient.SqlClient) => ({
  /**
   * Inserts a row for each of the accounts except those that have turned the kind off, by
   * notification_setting_pkey. Rows past the newest FEED_MAX of each are deleted, found by notification_feed
   * alone; rows locked by another transaction's delete are skipped.
   */
  tell: SqlSchema.findOne({
    Request: Schema.Struct({
      ...{ kind: NotificationKind, subject: Schema.String, link: Schema.NullOr(Schema.String) },
      ...{ accounts: Schema.Array(Schema.String), now: Schema.Date }
    }),
    Result: Schema.Struct({ told: Schema.Int }),
    execute: ({ accounts, kind, link, now, subject }) => sql`
      WITH told AS (
        INSERT INTO notification (id, account_id, kind, subject, link, created_at)
        SELECT new_id(${now}::timestamptz), a.id::uuid, ${kind}::text, ${subject}::text, ${link}::text, least(${now}::timestamptz, clock_timestamp())
        FROM (SELECT DISTINCT jsonb_array_elements_text(${JSON.stringify(accounts)}::jsonb) AS id) a
        WHERE NOT EXISTS (SELECT 1 FROM notification_setting s WHERE s.account_id = a.id::uuid AND s.kind = ${kind} AND NOT s.enabled)
        RETURNING account_id),
      gone AS (
        DELETE FROM notification WHERE id IN (
          SELECT n.id FROM notification n WHERE n.id IN (
            SELECT past.id FROM told CROSS JOIN LATERAL (
              SELECT o.id FROM notification o WHERE o.account_id = told.account_id
              ORDER BY o.created_at DESC, o.id DESC OFFSET ${FEED_MAX - 1} LIMIT ${LET_GO_MAX}) past)
          FOR UPDATE SKIP LOCKED))
      SELECT count(*)::int AS told FROM told`
  })
})

const FeedRow = Schema.Struct({ ...Notification.fields, created_at: Instant, read_at: Schema.NullOr(Instant) })

const makeFeed = (sql: SqlClient.SqlClient) => {
  /** An account's own rows, newest first, at most FEED_MAX: by notification_feed. */
  const own = (account_id: string) => sql`
    SELECT * FROM notification WHERE account_id = ${account_id} ORDER BY created_at DESC, id DESC LIMIT ${FEED_MAX}`
  /**
   * Notices of the platform since the account was made, by notice_everybody, and when the account
   * read them, by notice_read_pkey.
   */
  const everybodys = (account_id: string) => sql`
    SELECT w.*, a.id AS account_id, r.read_at FROM account a JOIN notice w ON w.season_id IS NULL AND w.sent_at >= a.created_at
      LEFT JOIN notice_read r ON r.account_id = a.id AND r.notice_id = w.id
    WHERE a.id = ${account_id} ORDER BY w.sent_at DESC, w.id DESC LIMIT ${FEED_MAX}`

  return {
    /** Two lists in order, merged as far as the page goes. */
    page: SqlSchema.findAll({
      Request: Schema.Struct({ account_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
      Result: FeedRow,
      execute: ({ account_id, limit, offset }) => sql`
        SELECT id, kind, subject, link, created_at, read_at FROM (
          (SELECT id, kind, subject, link, created_at, read_at FROM (${own(account_id)}) n)
          UNION ALL (SELECT id, 'platform_notice', subject, link, sent_at, read_at FROM (${everybodys(account_id)}) w)) x
        ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
    }),

    /** Counts the same. */
    total: SqlSchema.findOne({
      Request: Schema.String,
      Result: Schema.Struct({ total: Schema.Int }),
      execute: (account_id) => sql`
        SELECT least(${FEED_MAX}::int, ((SELECT count(*) FROM (${own(account_id)}) n) + (SELECT count(*) FROM (${everybodys(account_id)}) w))::int)
          AS total`
    }),

    /**
     * Marks the given ids as read, or the whole feed where they are null, and answers how many were unread.
     * Rows are locked in the order of their ids, so that two concurrent calls wait for each other without a
     * deadlock; a notice is marked by a row in notice_read.
     */
    markRead: SqlSchema.findOne({
      Request: Schema.Struct({ account_id: Schema.String, ids: Schema.NullOr(Schema.Array(Schema.String)), now: Schema.Date }),
      Result: Schema.Struct({ read: Schema.Int }),
      execute: ({ account_id, ids, now }) => {
        const these = ids === null ? sql`true` : sql`id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid)`
        const owned = ids === null ? own(account_id) : sql`SELECT * FROM notification WHERE account_id = ${account_id} AND ${these}`
        return sql`
          WITH held AS (SELECT id FROM notification WHERE id IN (SELECT id FROM (${owned}) o) AND read_at IS NULL ORDER BY id FOR NO KEY UPDATE),
          own AS (UPDATE notification n SET read_at = ${now} FROM held WHERE n.id = held.id RETURNING 1),
          notices AS (
            INSERT INTO notice_read (account_id, notice_id, read_at)
            SELECT account_id, id, ${now}::timestamptz FROM (${everybodys(account_id)}) w WHERE read_at IS NULL AND ${these}
            ON CONFLICT DO NOTHING RETURNING 1)
          SELECT ((SELECT count(*) FROM own) + (SELECT count(*) FROM notices))::int AS read`
      }
    })
  }
}

const makeSettings = (sql: SqlClient.SqlClient) => ({
  /** A few rows by notification_setting_pkey: the kinds that were ever turned off. */
  settings: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ kind: Schema.String, enabled: Schema.Boolean }),
    execute: (account_id) => sql`SELECT kind, enabled FROM notification_setting WHERE account_id = ${account_id}`
  }),

  /** Inserts or changes a row for each named kind, in the order of their names. */
  change: (account_id: string, settings: Readonly<Record<string, boolean>>) => sql`
    INSERT INTO notification_setting (account_id, kind, enabled)
    SELECT ${account_id}::uuid, key, value::boolean FROM jsonb_each_text(${JSON.stringify(settings)}::jsonb) ORDER BY key
    ON CONFLICT (account_id, kind) DO UPDATE SET enabled = excluded.enabled`
})

const makeNotices = (sql: SqlClient.SqlClient) => ({
  /** Those of the platform, by notice_everybody. */
  notices: SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
    Result: Schema.Struct({ ...Notice.fields, sent_at: Instant }),
    execute: ({ limit, offset }) => sql`
      SELECT w.id, w.subject, w.link, w.sent_at, a.username AS sent_by, w.recipients FROM notice w JOIN account a ON a.id = w.sent_by
      WHERE w.season_id IS NULL ORDER BY w.sent_at DESC, w.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index. */
  noticeCount: SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: () => sql`SELECT count(*)::int AS total FROM notice WHERE season_id IS NULL`
  }),

  /** Inserts one row for all recipients; these are counted, which reads every account. */
  announce: SqlSchema.findOne({
    Request: Schema.Struct({
      ...{ id: Schema.String, subject: Schema.String, link: Schema.NullOr(Schema.String) },
      ...{ sent_at: Schema.Date, sent_by: Schema.String }
    }),
    Result: Schema.Struct({ recipients: Schema.Int }),
    execute: ({ id, link, sent_at, sent_by, subject }) => sql`
      INSERT INTO notice (id, season_id, subject, link, sent_at, sent_by, recipients)
      SELECT ${id}::uuid, NULL, ${subject}::text, ${link}::text, ${sent_at}::timestamptz, ${sent_by}::uuid, count(*)::int FROM account
      RETURNING recipients`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeTelling(sql),
  ...makeFeed(sql),
  ...makeSettings(sql),
  ...makeNotices(sql)
}))
