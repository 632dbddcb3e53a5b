/**
 * Announcements of the platform's administrators. Each is shown for a time, which begins and ends without a write; so a
 * list carries the time of its next change, and is cached no longer. Every change is logged in its transaction.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { type InvalidRequest, invalidField, NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import type { Announcement, Announcements as Page, PatchAnnouncement, WriteAnnouncement } from "@agon/api/writing/Announcement.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { makeQueries } from "./announcementQueries.ts"
import { changedFields, purging } from "./editing.ts"
import { announcementsTag } from "./tags.ts"

export class Announcements extends Context.Service<
  Announcements,
  {
    /** The announcements shown now, and when they will change. */
    readonly shown: (page: PageOf) => Effect.Effect<{ readonly page: Page; readonly changes_at: string | null }>
    readonly all: (page: PageOf) => Effect.Effect<Page>
    readonly add: (account: SignedIn, written: WriteAnnouncement) => Effect.Effect<Announcement, InvalidRequest>
    readonly edit: (account: SignedIn, id: string, patch: PatchAnnouncement) => Effect.Effect<Announcement, InvalidRequest | NotFound>
    /** Answers the removed announcement. */
    readonly remove: (account: SignedIn, id: string) => Effect.Effect<Announcement, NotFound>
    /** False where `id` is no UUID. */
    readonly has: (id: string) => Effect.Effect<boolean>
  }
>()("agon/Announcements") {
  static readonly layer: Layer.Layer<Announcements, never, SqlClient.SqlClient | ResponseCache> = Layer.effect(
    Announcements,
    Effect.suspend(() => makeAnnouncements)
  )
}

const gone = new NotFound({ detail: "There is no such announcement." })

/** Refuses an announcement that does not end after it starts. */
const checkTimes = ({ ends_at, starts_at }: Announcement) => {
  if (ends_at === null || starts_at === null || Date.parse(ends_at) > Date.parse(starts_at)) return Effect.void
  return Effect.fail(invalidField("ends_at", "An announcement ends after it starts."))
}

const makeWrites = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const purge = <A, E>(write: Effect.Effect<A, E>) => purging(cache, write, [announcementsTag])

  const add = Effect.fn("Announcements.add")(function* (account: SignedIn, written: WriteAnnouncement) {
    const announcement: Announcement = { id: yield* newId, link: null, starts_at: null, ends_at: null, ...written }
    yield* checkTimes(announcement)
    const now = yield* DateTime.nowAsDate
    const { id, title } = announcement
    yield* auditLog.logged(nowhere, queries.add(announcement, now), () => auditOf(account, "announcement.add", id, { title })).pipe(purge)
    return announcement
  })

  const write = Effect.fnUntraced(function* (id: string, patch: PatchAnnouncement) {
    const held = yield* queries.hold(id)
    if (Option.isNone(held)) return yield* gone
    const announcement = { ...held.value, ...patch }
    yield* checkTimes(announcement)
    const changed = changedFields(held.value, announcement)
    if (changed.length > 0) yield* queries.edit(announcement)
    return { announcement, changed }
  })

  const edit = Effect.fn("Announcements.edit")(function* (account: SignedIn, id: string, patch: PatchAnnouncement) {
    const { announcement } = yield* auditLog
      .logged(nowhere, write(id, patch), ({ announcement: { title }, changed }) =>
        changed.length === 0 ? undefined : auditOf(account, "announcement.edit", id, { title, changed })
      )
      .pipe(purge)
    return announcement
  })

  const remove = Effect.fn("Announcements.remove")(function* (account: SignedIn, id: string) {
    const removal = Effect.flatMap(queries.remove(id), Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed }))
    return yield* auditLog.logged(nowhere, removal, ({ title }) => auditOf(account, "announcement.remove", id, { title })).pipe(purge)
  })

  return { add, edit, remove }
})

const makeAnnouncements = Effect.gen(function* () {
  const queries = yield* makeQueries

  const shown = Effect.fn("Announcements.shown")(function* ({ cursor, limit }: PageOf) {
    const now = yield* DateTime.nowAsDate
    const announcements = yield* queries.shown({ now, limit, offset: cursor })
    const { changes_at, total } = yield* queries.outlook(now)
    return { page: { announcements, total, next_cursor: nextCursor(cursor, announcements.length, total) }, changes_at }
  }, Effect.orDie)

  const all = Effect.fn("Announcements.all")(function* ({ cursor, limit }: PageOf) {
    const announcements = yield* queries.all({ limit, offset: cursor })
    const { total } = yield* queries.count(undefined)
    return { announcements, total, next_cursor: nextCursor(cursor, announcements.length, total) }
  }, Effect.orDie)

  const has = (id: string) => (isUuid(id) ? Effect.map(Effect.orDie(queries.byId(id)), Option.isSome) : Effect.succeed(false))

  return Announcements.of({ shown, all, has, ...(yield* makeWrites) })
})
