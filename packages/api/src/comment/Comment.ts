/** Threads and their comments as they are read and written (docs/contract.md#comments). */
import { Schema } from "effect"
import { prose } from "../Name.ts"
import * as page from "../Page.ts"
import { Id, Instant, Uuid } from "../Wire.ts"

const COMMENT_MAX = 2_000
const REASON_MAX = 500

/** The subject of a thread. */
export const Subject = Schema.Struct({ kind: Schema.Literals(["match", "model"]), id: Id }).annotate({ identifier: "Subject" })
export type Subject = typeof Subject.Type

/**
 * A thread that nobody has started has no id. `comments` counts the readable ones: neither
 * pending, nor deleted, nor removed.
 */
export const ThreadHead = Schema.Struct({
  id: Schema.NullOr(Id),
  subject: Subject,
  locked: Schema.Boolean,
  comments: Schema.Int
}).annotate({ identifier: "ThreadHead" })
export type ThreadHead = typeof ThreadHead.Type

/** A deleted or removed comment keeps its place; its body is null. */
export const Comment = Schema.Struct({
  id: Id,
  parent_id: Schema.NullOr(Id),
  /** A username. */
  author: Schema.String,
  body: Schema.NullOr(Schema.String),
  created_at: Instant,
  deleted: Schema.Boolean
}).annotate({ identifier: "Comment" })
export type Comment = typeof Comment.Type

/** Oldest first. */
export const Thread = Schema.Struct({ thread: ThreadHead, comments: Schema.Array(Comment), next_cursor: page.NextCursor }).annotate({
  identifier: "Thread"
})
export type Thread = typeof Thread.Type

/** A comment as its author sees it: `pending` until a moderator has approved it, where the author is new. */
export const OwnComment = Schema.Struct({
  id: Id,
  parent_id: Schema.NullOr(Id),
  body: Schema.String,
  state: Schema.Literals(["pending", "published"]),
  created_at: Instant
}).annotate({ identifier: "OwnComment" })
export type OwnComment = typeof OwnComment.Type

const placed = { id: Id, subject: Subject, parent_id: Schema.NullOr(Id), body: Schema.String, created_at: Instant }

/** Newest first. */
export const PendingComments = page.listOf("PendingComments", "comments", Schema.Struct({ ...placed, state: Schema.Literal("pending") }))
export type PendingComments = typeof PendingComments.Type

/** A competitor's public comments, newest first. */
export const ProfileComments = Schema.Struct({
  comments: Schema.Array(Schema.Struct(placed)),
  next_cursor: page.NextCursor
}).annotate({ identifier: "ProfileComments" })
export type ProfileComments = typeof ProfileComments.Type

/** Exactly one of a match and a model. */
export const about = { match: Schema.optionalKey(Uuid), model: Schema.optionalKey(Uuid) }
export const exactlyOne = Schema.makeFilter(({ match, model }: { readonly match?: string; readonly model?: string }) =>
  (match === undefined) === (model === undefined) ? { path: ["match"], issue: "name either a match or a model" } : undefined
)

/** `parent_id` is the comment that it answers, in the same thread. */
export const PostComment = Schema.Struct({
  ...about,
  parent_id: Schema.optionalKey(Schema.NullOr(Uuid)),
  body: prose(COMMENT_MAX)
})
  .check(exactlyOne)
  .annotate({ identifier: "PostComment" })
export type PostComment = typeof PostComment.Type

export const ReportComment = Schema.Struct({ reason: prose(REASON_MAX) }).annotate({ identifier: "ReportComment" })

export const CommentReport = Schema.Struct({ id: Id, comment_id: Id, reason: Schema.String, created_at: Instant }).annotate({
  identifier: "CommentReport"
})
export type CommentReport = typeof CommentReport.Type
