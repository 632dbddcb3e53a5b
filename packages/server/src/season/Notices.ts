/** Notices from administrators to a season's participants. */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import type { Notice, Notices as NoticePage, SendNotice } from "@agon/api/season/notices.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog, placeOf } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { makeTell } from "../notification/Notifications.ts"
import { makeQueries } from "./noticeQueries.ts"

export class Notices extends Context.Service<
  Notices,
  {
    /** Newest first. */
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<NoticePage>
    /**
     * Sends it to everyone on the roster who has signed in and, in a public season, to everyone who has submitted a version,
     * except those who turned notices off.
     */
    readonly send: (account: SignedIn, season: SeasonInPath, notice: SendNotice) => Effect.Effect<Notice>
  }
>()("agon/Notices") {
  static readonly layer: Layer.Layer<Notices, never, SqlClient.SqlClient> = Layer.effect(
    Notices,
    Effect.suspend(() => makeNotices)
  )
}

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
      const sent_at = yield* DateTime.nowAsDate
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
