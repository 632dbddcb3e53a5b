/**
 * Threads of comments on matches and models. A thread begins with its first comment; until then it reads as
 * empty. Every addition locks the thread's row: concurrent first comments share one thread, a lock holds from
 * its commit on, and the count is exact.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import { CommentWordListed, PendingCapReached, ThreadLocked } from "@agon/api/comment/api.ts"
import type { OwnComment, PostComment, Thread } from "@agon/api/comment/Comment.ts"
import { cutTo, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Cause, Context, DateTime, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Words } from "../account/Words.ts"
import { newId } from "../database/newId.ts"
import type { Viewer } from "../database/visibility.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { makeCommentNotifications } from "./commentNotifications.ts"
import { makeQueries, type SubjectRow } from "./queries.ts"
import { type Place, purgedByComment, subjectOf, threadTag } from "./tags.ts"

/** A match or a model by its id; the other key is absent. */
export interface About {
  readonly match?: string
  readonly model?: string
}

export class Threads extends Context.Service<
  Threads,
  {
    /** With the season of its subject, for the tags of the answer; null for a competitor's model. */
    readonly read: (
      about: About,
      page: PageOf,
      viewer: Viewer
    ) => Effect.Effect<{ readonly thread: Thread; readonly season_id: string | null }, NotFound>
    readonly post: (
      account: SignedIn,
      comment: PostComment
    ) => Effect.Effect<OwnComment, NotFound | CommentWordListed | ThreadLocked | PendingCapReached>
  }
>()("agon/Threads") {
  static readonly layer: Layer.Layer<Threads, never, SqlClient.SqlClient | ResponseCache | Words> = Layer.effect(
    Threads,
    Effect.suspend(() => makeThreads)
  )
}

/** Comments of one account that may be pending at once, so that the table stays bounded. */
const PENDING_MAX = 20

const placeOf = ({ match, model }: About, season_id: string | null): Place => ({
  match_id: match ?? null,
  model_id: match === undefined ? model! : null,
  season_id
})

const makeFind = Effect.map(makeQueries, ({ ofMatch, ofModel }) =>
  Effect.fnUntraced(function* ({ match, model }: About, viewer: Viewer) {
    const found = yield* Effect.orDie(match === undefined ? ofModel({ model_id: model!, viewer }) : ofMatch({ match_id: match, viewer }))
    if (Option.isSome(found)) return found.value
    return yield* new NotFound({ detail: `There is no such ${match === undefined ? "model" : "match"}.` })
  })
)

const makePost = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const notify = yield* makeCommentNotifications
  const find = yield* makeFind
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient
  const words = yield* Words

  const checkParent = Effect.fnUntraced(function* (id: string, { thread_id }: SubjectRow) {
    const parent = thread_id === null ? Option.none() : yield* Effect.orDie(queries.answerable({ id, thread_id }))
    if (Option.isNone(parent)) return yield* new NotFound({ detail: "The thread has no such comment to answer." })
  })

  const add = Effect.fnUntraced(function* (account: SignedIn, place: Place, body: string, parent_id: string | null) {
    const { id: account_id, username } = account
    const { match_id, model_id } = place
    const now = yield* DateTime.nowAsDate
    yield* queries.lockAuthor(account_id)
    yield* queries.openThread({ ...place, id: yield* newId, now })
    const thread = yield* Effect.orDie(queries.holdThread({ match_id, model_id }))
    if (thread.locked) return yield* new ThreadLocked({ detail: "The thread is locked: nothing is added to it." })
    const id = yield* newId
    const added = yield* queries.add({ id, thread_id: thread.id, parent_id, account_id, body, now, cap: PENDING_MAX })
    if (Option.isNone(added))
      return yield* new PendingCapReached({ detail: `${PENDING_MAX} of your comments wait for approval, which is as many as may.` })
    const { state } = added.value
    if (state === "published") {
      yield* queries.count(thread.id, 1)
      yield* notify.answered({ id, parent_id, created_at: now.toISOString(), author: username, match_id, model_id })
    }
    return { id, parent_id, body, state, created_at: now.toISOString() }
  })

  return Effect.fn("Threads.post")(function* (account: SignedIn, comment: PostComment) {
    const { body, parent_id = null }: { readonly body: string; readonly parent_id?: string | null } = comment
    const subject = yield* find(comment, account.id)
    if (parent_id !== null) yield* checkParent(parent_id, subject)
    const listed = yield* words.listedIn(body)
    if (listed !== undefined)
      return yield* new CommentWordListed({ detail: `The comment contains "${listed}", which is not allowed here.` })
    const place = placeOf(comment, subject.season_id)
    return yield* add(account, place, body, parent_id).pipe(
      sql.withTransaction,
      Effect.catchTag(["SqlError", "SchemaError"], Effect.die),
      Effect.onExit((exit) => cache.purge(...purgedBy(exit, place, account.username)))
    )
  })
})

/**
 * A pending comment at most starts its thread, and a refusal changes nothing; where a commit's outcome is
 * unknown, everything is purged.
 */
const purgedBy = (exit: Exit.Exit<OwnComment, unknown>, place: Place, username: string): ReadonlyArray<string> => {
  if (Exit.isFailure(exit)) return Cause.hasFails(exit.cause) ? [] : purgedByComment(place, username)
  return exit.value.state === "pending" ? [threadTag(subjectOf(place).id)] : purgedByComment(place, username)
}

const makeThreads = Effect.gen(function* () {
  const find = yield* makeFind
  const queries = yield* makeQueries

  const read = Effect.fn("Threads.read")(function* (about: About, page: PageOf, viewer: Viewer) {
    const { comments, locked, season_id, thread_id } = yield* find(about, viewer)
    const rows = thread_id === null ? [] : yield* Effect.orDie(queries.comments({ ...oneMoreThan(page), thread_id }))
    const head = { id: thread_id, subject: subjectOf(placeOf(about, season_id)), locked, comments }
    const { next_cursor, shown } = cutTo(page, rows)
    return { season_id, thread: { thread: head, comments: shown, next_cursor } }
  })

  return Threads.of({ read, post: yield* makePost })
})
