/**
 * Decisions of platform administrators on comments and threads. A decision locks the comment's row, so that
 * of an approval, a removal and a deletion at the same time each sees the result of the one before; each
 * change is logged once, in its transaction.
 *
 * An approval concerns one comment. Other pending comments of its author stay pending, since nobody has reviewed them;
 * the author's later comments are published at once.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import type { ThreadHead } from "@agon/api/comment/Comment.ts"
import type { Awaiting, Decision, ModeratedComment, ModeratedComments, ModeratedThreads } from "@agon/api/comment/moderation.ts"
import { cutTo, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog } from "../audit/auditLog.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { makeCommentNotifications } from "./commentNotifications.ts"
import { type ModeratedRow, makeQueries } from "./moderationQueries.ts"
import { purgedByComment, subjectOf, threadTag } from "./tags.ts"

export class Moderation extends Context.Service<
  Moderation,
  {
    readonly list: (state: Awaiting, page: PageOf) => Effect.Effect<ModeratedComments>
    readonly decide: (account: SignedIn, id: string, decision: Decision) => Effect.Effect<ModeratedComment, NotFound>
    readonly threads: (page: PageOf) => Effect.Effect<ModeratedThreads>
    readonly lock: (account: SignedIn, thread_id: string, locked: boolean) => Effect.Effect<ThreadHead, NotFound>
    /** Whether the comment exists for moderators; false where `id` is no UUID. */
    readonly hasComment: (id: string) => Effect.Effect<boolean>
    readonly hasThread: (id: string) => Effect.Effect<boolean>
  }
>()("agon/Moderation") {
  static readonly layer: Layer.Layer<Moderation, never, SqlClient.SqlClient | ResponseCache> = Layer.effect(
    Moderation,
    Effect.suspend(() => makeModeration)
  )
}

const shown = (found: ModeratedRow): ModeratedComment => {
  const { account_id: _, approved: __, game: ___, match_id, model_id, published: ____, season_id: _____, ...row } = found
  return { ...row, subject: subjectOf({ match_id, model_id }) }
}

const gone = new NotFound({ detail: "There is no such comment, or its author has deleted it." })

/** Whether the decision changes the row, so that it is written and logged. */
const changes = ({ approved, reports, state }: ModeratedRow, decision: Decision) =>
  decision === "removed" ? state !== "removed" : state !== "published" || reports > 0 || !approved

const makeDecide = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const notify = yield* makeCommentNotifications

  const write = Effect.fnUntraced(function* (id: string, decision: Decision) {
    const held = yield* queries.hold(id)
    if (Option.isNone(held)) return yield* gone
    const before = held.value
    const changed = changes(before, decision)
    if (!changed) return { before, changed }
    const now = yield* DateTime.nowAsDate
    yield* decision === "approved" ? queries.approve(id, now) : queries.remove(id)
    const more = Number(decision === "approved") - Number(before.state === "published")
    if (more !== 0) yield* queries.count(before.thread_id, more)
    if (decision === "approved" && !before.published) yield* notify.approved(before.account_id, before)
    return { before, changed }
  })

  return Effect.fn("Moderation.decide")(function* (account: SignedIn, id: string, decision: Decision) {
    const found = yield* Effect.orDie(queries.byId(id))
    if (Option.isNone(found)) return yield* gone
    const { author, game, season_id } = found.value
    const action = decision === "approved" ? "comment.approve" : "comment.remove"
    const { before } = yield* auditLog
      .logged({ game, season_id }, write(id, decision), ({ before, changed }) =>
        changed ? auditOf(account, action, id, { author, thread: before.thread_id, was: before.state }) : undefined
      )
      .pipe(Effect.ensuring(cache.purge(...purgedByComment(found.value, author))))
    const state = decision === "approved" ? ("published" as const) : ("removed" as const)
    return shown({ ...before, state, reports: decision === "approved" ? 0 : before.reports })
  })
})

const makeModeration = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries

  const list = Effect.fn("Moderation.list")(function* (state: Awaiting, page: PageOf) {
    const { next_cursor, shown: rows } = cutTo(page, yield* queries[state](oneMoreThan(page)))
    return { comments: rows.map(shown), next_cursor }
  }, Effect.orDie)

  const threads = Effect.fn("Moderation.threads")(function* (page: PageOf) {
    const { next_cursor, shown: rows } = cutTo(page, yield* queries.threads(oneMoreThan(page)))
    const threads = rows.map(({ comments, id, locked, match_id, model_id }) => ({
      ...{ id, locked, comments },
      subject: subjectOf({ match_id, model_id })
    }))
    return { threads, next_cursor }
  }, Effect.orDie)

  const find = Effect.fnUntraced(function* (id: string) {
    const thread = yield* queries.thread(id)
    return Option.isSome(thread) ? thread.value : yield* new NotFound({ detail: "There is no such thread." })
  })

  const write = Effect.fnUntraced(function* (id: string, locked: boolean) {
    const thread = yield* find(id)
    if (thread.locked !== locked) yield* queries.lock(id, locked)
    return thread
  })

  const lock = Effect.fn("Moderation.lock")(function* (account: SignedIn, id: string, locked: boolean) {
    const { game, match_id, model_id, season_id } = yield* find(id).pipe(Effect.catchTag(["SqlError", "SchemaError"], Effect.die))
    const subject = subjectOf({ match_id, model_id })
    const { comments } = yield* auditLog
      .logged({ game, season_id }, write(id, locked), (thread) =>
        thread.locked === locked ? undefined : auditOf(account, locked ? "thread.lock" : "thread.open", id, subject)
      )
      .pipe(Effect.ensuring(cache.purge(threadTag(subject.id))))
    return { id, subject, locked, comments }
  })

  const isThere = (found: Effect.Effect<Option.Option<unknown>, unknown>) => Effect.map(Effect.orDie(found), Option.isSome)
  const hasComment = (id: string) => (isUuid(id) ? isThere(queries.byId(id)) : Effect.succeed(false))
  const hasThread = (id: string) => (isUuid(id) ? isThere(queries.thread(id)) : Effect.succeed(false))

  return Moderation.of({ list, threads, decide: yield* makeDecide, lock, hasComment, hasThread })
})
