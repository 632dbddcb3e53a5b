/** Every statement on notifications and on which of them an account wants. */
import { NotificationKind } from "@agon/api/community/Notification.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

/** An account reads as many and no more: what lies below is let go when it is next told something, a few at a time. */
export const FEED_MAX = 1_000
/** More than one, so that a feed that is far too long grows shorter; few, so that nobody waits for it. */
const LET_GO_MAX = 100

const makeTelling = (sql: SqlClient.SqlClient) => ({
  /**
   * Inserts a row for each of the accounts but those that notification_setting_pkey says want none. Of each of them the rows
   * past the newest FEED_MAX are deleted, found by notification_feed alone; one that another transaction deletes is left to it.
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
        SELECT new_id(${now}::timestamptz), a.id::uuid, ${kind}::text, ${subject}::text, ${link}::text, ${now}::timestamptz
        FROM (SELECT DISTINCT jsonb_array_elements_text(${JSON.stringify(accounts)}::text::jsonb) AS id) a
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

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeTelling(sql) }))
