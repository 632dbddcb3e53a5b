/** Decisions of platform administrators on comments and threads (docs/contract.md#moderation). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NamedThread, PlatformAdmin, UndeletedComment } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import { Id, Instant, Uuid, withDefault } from "../Wire.ts"
import { Subject, ThreadHead } from "./Comment.ts"

/** `reports` counts those since the last approval; `reasons` are the newest ten of all. */
export const ModeratedComment = Schema.Struct({
  id: Id,
  thread_id: Id,
  subject: Subject,
  parent_id: Schema.NullOr(Id),
  author: Schema.String,
  body: Schema.String,
  state: Schema.Literals(["pending", "published", "removed"]),
  reports: Schema.Int,
  reasons: Schema.Array(Schema.String),
  created_at: Instant
}).annotate({ identifier: "ModeratedComment" })
export type ModeratedComment = typeof ModeratedComment.Type

/** Oldest first. */
export const ModeratedComments = Schema.Struct({ comments: Schema.Array(ModeratedComment), next_cursor: page.NextCursor }).annotate({
  identifier: "ModeratedComments"
})
export type ModeratedComments = typeof ModeratedComments.Type

/** Newest first. */
export const ModeratedThreads = Schema.Struct({ threads: Schema.Array(ThreadHead), next_cursor: page.NextCursor }).annotate({
  identifier: "ModeratedThreads"
})
export type ModeratedThreads = typeof ModeratedThreads.Type

const Awaiting = Schema.Literals(["pending", "reported"])
export type Awaiting = typeof Awaiting.Type

export const Decision = Schema.Literals(["approved", "removed"])
export type Decision = typeof Decision.Type

const ModerateComment = Schema.Struct({ state: Decision }).annotate({ identifier: "ModerateComment" })
const LockThread = Schema.Struct({ locked: Schema.Boolean }).annotate({ identifier: "LockThread" })

const params = { id: Uuid }

export class ModerationGroup extends HttpApiGroup.make("moderation")
  .add(
    HttpApiEndpoint.get("moderatedComments", "/v1/admin/comments", {
      query: { state: withDefault(Awaiting, "pending"), ...page.query },
      success: ModeratedComments
    }),
    /** Approving also dismisses the reports; a comment that its author has deleted is 404. */
    HttpApiEndpoint.patch("moderateComment", "/v1/admin/comments/:id", {
      params,
      payload: ModerateComment,
      success: ModeratedComment,
      error: NotFound
    })
      .middleware(JsonBody)
      .middleware(UndeletedComment),
    HttpApiEndpoint.get("moderatedThreads", "/v1/admin/threads", { query: page.query, success: ModeratedThreads }),
    HttpApiEndpoint.patch("lockThread", "/v1/admin/threads/:id", { params, payload: LockThread, success: ThreadHead })
      .middleware(JsonBody)
      .middleware(NamedThread)
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
