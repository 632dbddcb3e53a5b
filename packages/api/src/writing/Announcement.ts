/** Announcements as they are shown and written (docs/contract.md#announcements). */
import { Schema } from "effect"
import { name, prose } from "../Name.ts"
import * as page from "../Page.ts"
import { Link } from "../season/notices.ts"
import { AnyInstant, Id, Instant } from "../Wire.ts"

const TITLE_MAX = 200
const BODY_MAX = 2_000

/**
 * Shown from `starts_at` on, at once where it is null, and until `ends_at`, where there is
 * an end. The body is Markdown.
 */
export const Announcement = Schema.Struct({
  id: Id,
  title: Schema.String,
  body: Schema.String,
  link: Schema.NullOr(Schema.String),
  starts_at: Schema.NullOr(Instant),
  ends_at: Schema.NullOr(Instant)
}).annotate({ identifier: "Announcement" })
export type Announcement = typeof Announcement.Type

/** The one shown last is first. */
export const Announcements = page.listOf("Announcements", "announcements", Announcement)
export type Announcements = typeof Announcements.Type

const Title = name(TITLE_MAX)
const Body = prose(BODY_MAX)
const optional = {
  link: Schema.optionalKey(Schema.NullOr(Link)),
  starts_at: Schema.optionalKey(Schema.NullOr(AnyInstant)),
  ends_at: Schema.optionalKey(Schema.NullOr(AnyInstant))
}

/** An end that is not after the start is refused. */
export const WriteAnnouncement = Schema.Struct({ title: Title, body: Body, ...optional }).annotate({ identifier: "WriteAnnouncement" })
export type WriteAnnouncement = typeof WriteAnnouncement.Type

/** Keys left out keep their value. */
export const PatchAnnouncement = Schema.Struct({
  title: Schema.optionalKey(Title),
  body: Schema.optionalKey(Body),
  ...optional
}).annotate({ identifier: "PatchAnnouncement" })
export type PatchAnnouncement = typeof PatchAnnouncement.Type
