/**
 * The notification feed of each account: rows written for it, and the notices of the platform, which
 * are one row each for everybody. A feed is at most a thousand deep.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import {
  type EmailUnavailable,
  type MarkedRead,
  type MarkRead,
  type NotificationFeed,
  type NotificationKind,
  type NotificationSettings,
  optionalKinds,
  type PatchNotificationSettings
} from "@agon/api/notification/Notification.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Mailboxes } from "./mail/Mailboxes.ts"
import { FEED_MAX, makeQueries } from "./queries.ts"

export class Notifications extends Context.Service<
  Notifications,
  {
    /** Newest first. */
    readonly feed: (account: SignedIn, page: PageOf) => Effect.Effect<NotificationFeed>
    readonly markRead: (account: SignedIn, which: MarkRead) => Effect.Effect<MarkedRead>
    readonly settings: (account: SignedIn) => Effect.Effect<NotificationSettings>
    /** Answers all settings after the change; one that is refused changes none. */
    readonly change: (account: SignedIn, patch: PatchNotificationSettings) => Effect.Effect<NotificationSettings, EmailUnavailable>
  }
>()("agon/Notifications") {
  static readonly layer: Layer.Layer<Notifications, never, SqlClient.SqlClient> = Layer.effect(
    Notifications,
    Effect.suspend(() => makeNotifications)
  ).pipe(Layer.provide(Mailboxes.layer))
}

interface Telling {
  /** `platform_notice` reaches everybody through its notice alone. */
  readonly kind: Exclude<NotificationKind, "platform_notice">
  /** Account ids; duplicates are told once. */
  readonly accounts: ReadonlyArray<string>
  /** One sentence. */
  readonly subject: string
  /** A path on this origin, or an address of the web. */
  readonly link: string | null
}

/**
 * Tells accounts something, except those that have turned the kind off, and answers how many were told. It
 * writes in the caller's transaction: a rolled-back event notifies nobody. Notifications about versions and
 * seasons are written by the season's commit (actor/store/notifications.ts).
 */
export const makeTell = Effect.map(makeQueries, (queries) =>
  Effect.fnUntraced(function* (telling: Telling) {
    const now = yield* DateTime.nowAsDate
    return telling.accounts.length === 0 ? 0 : (yield* Effect.orDie(queries.tell({ ...telling, now }))).told
  })
)

const makeNotifications = Effect.gen(function* () {
  const mailboxes = yield* Mailboxes
  const queries = yield* makeQueries

  const feed = Effect.fn("Notifications.feed")(function* ({ id }: SignedIn, { cursor, limit }: PageOf) {
    const { total } = yield* queries.total(id)
    const rows = Math.max(0, Math.min(limit, FEED_MAX - cursor))
    const notifications = rows === 0 ? [] : yield* queries.page({ account_id: id, limit: rows, offset: cursor })
    return { notifications, total, next_cursor: nextCursor(cursor, notifications.length, total) }
  }, Effect.orDie)

  const markRead = Effect.fn("Notifications.markRead")(function* ({ id }: SignedIn, which: MarkRead) {
    const now = yield* DateTime.nowAsDate
    return yield* queries.markRead({ account_id: id, ids: "ids" in which ? which.ids : null, now })
  }, Effect.orDie)

  const settings = Effect.fn("Notifications.settings")(function* ({ id }: SignedIn) {
    const changed = new Map((yield* queries.settings(id)).map(({ enabled, kind }) => [kind, enabled]))
    const optional = Object.fromEntries(optionalKinds.map((kind) => [kind, changed.get(kind) ?? true]))
    return {
      ...(optional as Record<(typeof optionalKinds)[number], boolean>),
      platform_notice: true as const,
      ...(yield* mailboxes.of(id))
    }
  }, Effect.orDie)

  const change = Effect.fn("Notifications.change")(function* (account: SignedIn, patch: PatchNotificationSettings) {
    const { email, platform_notice: _, ...optional } = patch
    if (email !== undefined) yield* mailboxes.change(account.id, email)
    if (Object.keys(optional).length > 0) yield* Effect.orDie(queries.change(account.id, optional))
    return yield* settings(account)
  })

  return Notifications.of({ feed, markRead, settings, change })
})
