/** Every statement on a season's notices and who gets them. */
import { Notice } from "@agon/api/season/notices.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { publicOnly } from "../database/visibility.ts"

const NoticeRow = Schema.Struct({ ...Notice.fields, sent_at: Instant })
const Total = Schema.Struct({ total: Schema.Int })

interface Sent {
  readonly id: string
  readonly season_id: string
  readonly subject: string
  readonly link: string | null
  readonly sent_at: Date
  readonly sent_by: string
  readonly recipients: number
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** A page by notice_season, with each name by account_pkey: joined, the planner may go through all accounts. */
  notices: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: NoticeRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT w.id, w.subject, w.link, w.sent_at, (SELECT a.username FROM account a WHERE a.id = w.sent_by) AS sent_by, w.recipients
      FROM notice w WHERE w.season_id = ${season_id} ORDER BY w.sent_at DESC, w.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index. */
  noticeCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Total,
    execute: (season_id) => sql`SELECT count(*)::int AS total FROM notice WHERE season_id = ${season_id}`
  }),

  /**
   * The roster by participant_login with its accounts by identity_login; in a public season also
   * the owners, by the first column of version_ord. Whoever was taken off the roster of a
   * private season hears no more of it.
   */
  participants: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ account_id: Schema.String }),
    execute: (season_id) => sql`
      SELECT i.account_id FROM participant p JOIN identity i ON i.provider = p.provider AND lower(i.login) = lower(p.login)
        WHERE p.season_id = ${season_id}
      UNION SELECT v.owner_id FROM season s JOIN version v ON v.season_id = s.id
        WHERE s.id = ${season_id} AND ${sql.literal(publicOnly())} AND v.owner_id IS NOT NULL`
  }),

  /** Inserts one row. */
  keep: ({ id, link, recipients, season_id, sent_at, sent_by, subject }: Sent) => sql`
    INSERT INTO notice (id, season_id, subject, link, sent_at, sent_by, recipients)
    VALUES (${id}, ${season_id}, ${subject}, ${link}, ${sent_at}, ${sent_by}, ${recipients})`
}))
