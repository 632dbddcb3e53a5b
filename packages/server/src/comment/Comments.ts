/** Comments of a signed-in author: published, pending and deleted ones, and the reports on others' comments. */
import type { SignedIn } from "@agon/api/Authorization.ts"
import type { Comment, CommentReport, PendingComments, ProfileComments } from "@agon/api/comment/Comment.ts"
import { cutTo, nextCursor, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Context, DateTime, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { newId } from "../database/newId.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { makeQueries } from "./queries.ts"
import { type Place, purgedByComment, subjectOf } from "./tags.ts"

export class Comments extends Context.Service<
  Comments,
  {
    /** Answers the comment as it reads once deleted. */
    readonly remove: (account: SignedIn, id: string) => Effect.Effect<Comment, NotFound>
    /** Ask `readableBy` first. */
    readonly report: (account: SignedIn, comment_id: string, reason: string) => Effect.Effect<CommentReport>
    /** Whether the account may read it; not where `id` is no UUID. */
    readonly readableBy: (account_id: string, id: string) => Effect.Effect<boolean>
    readonly pending: (account: SignedIn, page: PageOf) => Effect.Effect<PendingComments>
    /** The comments of a competitor that everybody may read. */
    readonly ofAuthor: (username: string, page: PageOf) => Effect.Effect<ProfileComments, NotFound>
  }
>()("agon/Comments") {
  static readonly layer: Layer.Layer<Comments, never, SqlClient.SqlClient | ResponseCache> = Layer.effect(
    Comments,
    Effect.suspend(() => makeComments)
  )
}

const unknown = new NotFound({ detail: "You have no comment of this id." })

/** Whether the comment was public until now. */
const wasRead = Option.exists<{ readonly state: string }>(({ state }) => state === "published")

const makeWrites = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient

  const take = Effect.fnUntraced(function* (id: string, account_id: string) {
    const held = yield* queries.hold({ id, account_id })
    if (Option.isNone(held)) return held
    const { state, thread_id } = held.value
    yield* state === "pending" ? queries.erase(id) : Effect.andThen(queries.empty(id), queries.count(thread_id, -1))
    return held
  })

  const remove = Effect.fn("Comments.remove")(function* (account: SignedIn, id: string) {
    const found = yield* Effect.orDie(queries.own({ id, account_id: account.id }))
    if (Option.isNone(found)) return yield* unknown
    const shown = purgedByComment(found.value, account.username)
    const taken = yield* take(id, account.id).pipe(
      sql.withTransaction,
      Effect.orDie,
      Effect.onExit((exit) => (Exit.isSuccess(exit) && !wasRead(exit.value) ? Effect.void : cache.purge(...shown)))
    )
    if (Option.isNone(taken)) return yield* unknown
    const { match_id: _, model_id: __, season_id: ___, state: ____, thread_id: _____, ...comment } = taken.value
    return comment
  })

  const report = Effect.fn("Comments.report")(function* (account: SignedIn, comment_id: string, reason: string) {
    const now = yield* DateTime.nowAsDate
    yield* queries.report({ id: yield* newId, comment_id, account_id: account.id, reason, now })
    return yield* queries.reportOf({ comment_id, account_id: account.id })
  }, Effect.orDie)

  return { remove, report }
})

const makeComments = Effect.gen(function* () {
  const queries = yield* makeQueries

  const readableBy = (viewer: string, id: string) =>
    isUuid(id) ? Effect.map(Effect.orDie(queries.readable({ id, viewer })), Option.isSome) : Effect.succeed(false)

  const pending = Effect.fn("Comments.pending")(function* ({ id }: SignedIn, { cursor, limit }: PageOf) {
    const rows = yield* queries.pending({ account_id: id, limit, offset: cursor })
    const total = rows[0]?.total ?? (yield* queries.pendingCount(id)).total
    const comments = rows.map(({ total: _, ...row }) => ({ ...published(row), state: "pending" as const }))
    return { comments, total, next_cursor: nextCursor(cursor, rows.length, total) }
  }, Effect.orDie)

  const ofAuthor = Effect.fn("Comments.ofAuthor")(function* (username: string, page: PageOf) {
    const author = username.includes("\0") ? Option.none() : yield* Effect.orDie(queries.author(username))
    if (Option.isNone(author)) return yield* new NotFound({ detail: "There is no competitor of this name." })
    const rows = yield* Effect.orDie(queries.published({ account_id: author.value.id, ...oneMoreThan(page) }))
    const { next_cursor, shown } = cutTo(page, rows)
    return { comments: shown.map(published), next_cursor }
  })

  return Comments.of({ ...(yield* makeWrites), readableBy, pending, ofAuthor })
})

/** A row with its subject in the form of the contract. */
const published = <Row extends Omit<Place, "season_id">>({ match_id, model_id, ...row }: Row) => ({
  ...row,
  subject: subjectOf({ match_id, model_id })
})
