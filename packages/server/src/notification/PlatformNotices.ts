/**
 * Notices from the platform's administrators to everybody. A notice is one row, which
 * every account finds in its feed.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import type { Notice, Notices, SendNotice } from "@agon/api/season/notices.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { makeQueries } from "./queries.ts"

export class PlatformNotices extends Context.Service<
  PlatformNotices,
  {
    /** Newest first. */
    readonly list: (page: PageOf) => Effect.Effect<Notices>
    readonly send: (account: SignedIn, notice: SendNotice) => Effect.Effect<Notice>
  }
>()("agon/PlatformNotices") {
  static readonly layer: Layer.Layer<PlatformNotices, never, SqlClient.SqlClient> = Layer.effect(
    PlatformNotices,
    Effect.suspend(() => makePlatformNotices)
  )
}

const makePlatformNotices = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const queries = yield* makeQueries

  return PlatformNotices.of({
    list: Effect.fn("PlatformNotices.list")(function* ({ cursor, limit }) {
      const notices = yield* queries.notices({ limit, offset: cursor })
      const { total } = yield* queries.noticeCount(undefined)
      return { notices, total, next_cursor: nextCursor(cursor, notices.length, total) }
    }, Effect.orDie),

    send: Effect.fn("PlatformNotices.send")(function* (account, { link = null, subject }) {
      const id = yield* newId
      const sent_at = yield* DateTime.nowAsDate
      const write = queries.announce({ id, subject, link, sent_at, sent_by: account.id })
      const { recipients } = yield* auditLog.logged(nowhere, Effect.orDie(write), ({ recipients }) =>
        auditOf(account, "platform.notify", id, { subject, link, recipients })
      )
      return { id, subject, link, sent_at: sent_at.toISOString(), sent_by: account.username, recipients }
    })
  })
})
