/** Comment threads on matches and models (docs/contract.md#comments). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedComment, Session } from "../Authorization.ts"
import { Cached, JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound, Problem } from "../Problem.ts"
import { twins } from "../twins.ts"
import { Uuid } from "../Wire.ts"
import {
  about,
  Comment,
  CommentReport,
  exactlyOne,
  OwnComment,
  PendingComments,
  PostComment,
  ProfileComments,
  ReportComment,
  Thread
} from "./Comment.ts"

export class CommentWordListed extends Problem<CommentWordListed>()("comment_word_listed", 422, "The comment contains a listed word") {}
export class ThreadLocked extends Problem<ThreadLocked>()("thread_locked", 409, "The thread is locked") {}
export class PendingCapReached extends Problem<PendingCapReached>()("pending_cap_reached", 409, "Too many comments are pending") {}

const ThreadQuery = Schema.Struct({ ...about, ...page.query }).check(exactlyOne)
const params = { id: Uuid }

export class CommunityGroup extends HttpApiGroup.make("community").add(
  /** A thread that nobody has started is empty; a match or model that the caller may not see is unknown. */
  ...twins("thread", "/threads", { query: ThreadQuery, success: Thread, error: NotFound }),
  /** Pending where the account has no approved comment yet; the number of pending ones is limited. */
  HttpApiEndpoint.post("postComment", "/v1/threads/comments", {
    payload: PostComment,
    success: OwnComment.pipe(HttpApiSchema.status(201)),
    error: [NotFound, CommentWordListed, ThreadLocked, PendingCapReached]
  })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "session"),
  /** A comment that others could read keeps its place. */
  HttpApiEndpoint.delete("deleteComment", "/v1/comments/:id", { params, success: Comment, error: NotFound })
    .middleware(Session)
    .annotate(Rate, "session"),
  /** Once for each account: a repeat answers the first report. */
  HttpApiEndpoint.post("reportComment", "/v1/comments/:id/reports", {
    params,
    payload: ReportComment,
    success: CommentReport.pipe(HttpApiSchema.status(201))
  })
    .middleware(JsonBody)
    .middleware(NamedComment)
    .middleware(Session)
    .annotate(Rate, "session"),
  HttpApiEndpoint.get("pendingComments", "/v1/me/comments", { query: page.query, success: PendingComments })
    .middleware(Session)
    .annotate(Rate, "session"),
  HttpApiEndpoint.get("profileComments", "/v1/profiles/:username/comments", {
    params: { username: Schema.String },
    query: page.query,
    success: ProfileComments,
    error: NotFound
  }).middleware(Cached)
) {}
