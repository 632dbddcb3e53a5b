/** An account's notifications (docs/contract.md#notifications). */
import { Schema } from "effect"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { Id, Instant, Uuid } from "../Wire.ts"

/** Kinds that an account may turn off; notices of the platform reach everybody. */
export const optionalKinds = [
  "season_notice",
  "version_admitted",
  "version_rejected",
  "version_entered",
  "version_superseded",
  "version_suspended",
  "version_disqualified",
  "version_reinstated",
  "comment_reply",
  "comment_approved",
  "story_approved",
  "story_rejected",
  "season_closed"
] as const
export type OptionalKind = (typeof optionalKinds)[number]

export const NotificationKind = Schema.Literals([...optionalKinds, "platform_notice", "webhook_disabled", "email_disabled"])
export type NotificationKind = typeof NotificationKind.Type

/** `subject` is a sentence; `link` a path on this origin or a web address, where there is more to read. */
export const Notification = Schema.Struct({
  id: Id,
  kind: NotificationKind,
  subject: Schema.String,
  link: Schema.NullOr(Schema.String),
  created_at: Instant,
  read_at: Schema.NullOr(Instant)
}).annotate({ identifier: "Notification" })
export type Notification = typeof Notification.Type

/** Newest first. `total` counts the readable ones, the newest thousand at most. */
export const NotificationFeed = page.listOf("NotificationFeed", "notifications", Notification)
export type NotificationFeed = typeof NotificationFeed.Type

const IDS_MAX = 100

/** Marks some by their ids, ignoring unknown ones and other accounts', or the whole feed. */
export const MarkRead = Schema.Union([
  Schema.Struct({ ids: Schema.Array(Uuid).check(Schema.isMaxLength(IDS_MAX)) }),
  Schema.Struct({ all: Schema.Literal(true) })
]).annotate({ identifier: "MarkRead" })
export type MarkRead = typeof MarkRead.Type

/** How many were unread before. */
export const MarkedRead = Schema.Struct({ read: Schema.Int }).annotate({ identifier: "MarkedRead" })
export type MarkedRead = typeof MarkedRead.Type

const everyOptional = <S extends Schema.Constraint>(value: S) =>
  Object.fromEntries(optionalKinds.map((kind) => [kind, value])) as { readonly [K in OptionalKind]: S }

/**
 * Whether the account is told of each kind, and whether it is mailed what it is told. `email_address` is
 * where mails go: the address that a provider verified at the latest sign-in, or null where there is none, or
 * where the service sends no mail.
 */
export const NotificationSettings = Schema.Struct({
  ...everyOptional(Schema.Boolean),
  platform_notice: Schema.Literal(true),
  email: Schema.Boolean,
  email_address: Schema.NullOr(Schema.String)
}).annotate({ identifier: "NotificationSettings" })
export type NotificationSettings = typeof NotificationSettings.Type

/** Kinds that are not named stay as they are. */
export const PatchNotificationSettings = Schema.Struct({
  ...everyOptional(Schema.optionalKey(Schema.Boolean)),
  platform_notice: Schema.optionalKey(Schema.Literal(true)),
  email: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "PatchNotificationSettings" })
export type PatchNotificationSettings = typeof PatchNotificationSettings.Type

export class EmailUnavailable extends Problem<EmailUnavailable>()("email_unavailable", 409, "There is no address to mail to") {}

/** The end of an account's mails, by the link in one of them. */
export const Unsubscribed = Schema.Struct({ unsubscribed: Schema.Literal(true) }).annotate({ identifier: "Unsubscribed" })
export type Unsubscribed = typeof Unsubscribed.Type
