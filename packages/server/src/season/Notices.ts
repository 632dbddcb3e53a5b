/** Notices from administrators to a season's participants. */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { Notice, type Notices as NoticePage, type SendNotice } from "@agon/api/season/notices.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { auditOf, makeAuditLog, placeOf } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { Instant } from "../database/rows.ts"
import { publicOnly } from "../database/visibility.ts"
import { makeTell } from "../notification/Notifications.ts"

export class Notices extends Context.Service<
  Notices,
  {
    /** Newest first. */
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<NoticePage>
    /** Sends it to everyone on the roster who has signed in, and everyone who has ever entered a version, except those who turned notices off. */
    readonly send: (account: SignedIn, season: SeasonInPath, notice: SendNotice) => Effect.Effect<Notice>
  }
>()("agon/Notices") {
  static readonly layer: Layer.Layer<Notices, never, SqlClient.SqlClient> = Layer.effect(
    Notices,
    Effect.suspend(() => makeNotices)
  )
}

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

const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** By notice_season. */
  notices: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: NoticeRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT w.id, w.subject, w.link, w.sent_at, a.username AS sent_by, w.recipients
      FROM notice w JOIN account a ON a.id = w.sent_by
      WHERE w.season_id = ${season_id} ORDER BY w.sent_at DESC, w.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index. */
  noticeCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Total,
    execute: (season_id) => sql`SELECT count(*)::int AS total FROM notice WHERE season_id = ${season_id}`
  }),

  /**
   * The roster by participant_login with its accounts by identity_login; in a public season also the owners, by the first column of
   * version_ord. Whoever was taken off the roster of a private season hears no more of it.
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

const makeNotices = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const queries = yield* makeQueries
  const tell = yield* makeTell

  return Notices.of({
    list: Effect.fn("Notices.list")(function* ({ id }, { cursor, limit }) {
      const notices = yield* queries.notices({ season_id: id, limit, offset: cursor })
      const { total } = yield* queries.noticeCount(id)
      return { notices, total, next_cursor: nextCursor(cursor, notices.length, total) }
    }, Effect.orDie),

    send: Effect.fn("Notices.send")(function* (account, season, { link = null, subject }) {
      const id = yield* newId
      const sent_at = new Date(yield* Clock.currentTimeMillis)
      const write = Effect.gen(function* () {
        const people = yield* queries.participants(season.id)
        const recipients = yield* tell({ kind: "season_notice", accounts: people.map(({ account_id }) => account_id), subject, link })
        yield* queries.keep({ id, season_id: season.id, subject, link, sent_at, sent_by: account.id, recipients })
        return recipients
      })
      const recipients = yield* auditLog.logged(placeOf(season), write, (recipients) =>
        auditOf(account, "season.notify", season.slug, { subject, link, recipients })
      )
      return { id, subject, link, sent_at: sent_at.toISOString(), sent_by: account.username, recipients }
    })
  })
})
