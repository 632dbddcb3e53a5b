/**
 * The notifications for a comment that is published: to its author, where it was pending, and to the
 * author of the comment it answers.
 */
import { Effect, Option } from "effect"
import { makeTell } from "../notification/Notifications.ts"
import { makeQueries } from "./queries.ts"
import { type Place, subjectOf } from "./tags.ts"

export interface Published extends Pick<Place, "match_id" | "model_id"> {
  readonly id: string
  readonly created_at: string
  readonly parent_id: string | null
  /** A username. */
  readonly author: string
}

/** The thread's address, for everybody who may see its subject, with the comment that the site shows in it. */
const linkOf = ({ created_at, id: comment, ...place }: Pick<Published, "created_at" | "id" | "match_id" | "model_id">) => {
  const { id, kind } = subjectOf(place)
  return `/v1/private/threads?${kind}=${id}&comment=${comment}&written=${created_at}`
}

/** Both write in the caller's transaction. */
export const makeCommentNotifications = Effect.gen(function* () {
  const queries = yield* makeQueries
  const tell = yield* makeTell

  /**
   * Nobody is told of their own answer, of answers to a comment they deleted, or in a
   * thread they may no longer see.
   */
  const answered = Effect.fnUntraced(function* (answer: Published) {
    const { author, id, parent_id } = answer
    if (parent_id === null) return
    const found = yield* Effect.orDie(queries.answered(id))
    if (Option.isNone(found)) return
    const { account_id } = found.value
    const readable = yield* Effect.orDie(queries.readable({ id: parent_id, viewer: account_id }))
    if (Option.isNone(readable)) return
    yield* tell({ kind: "comment_reply", accounts: [account_id], subject: `${author} answered your comment.`, link: linkOf(answer) })
  })

  const approved = (account_id: string, comment: Published) =>
    Effect.andThen(
      tell({ kind: "comment_approved", accounts: [account_id], subject: "Your comment was approved.", link: linkOf(comment) }),
      answered(comment)
    )

  return { answered, approved }
})
