/** Whom a comment concerns that has come to be read: its author, where it had to wait, and whoever it answers. */
import { Effect, Option } from "effect"
import { makeTell } from "../notification/Notifications.ts"
import { makeQueries } from "./queries.ts"
import { type Place, subjectOf } from "./tags.ts"

export interface Published extends Pick<Place, "match_id" | "model_id"> {
  readonly id: string
  readonly parent_id: string | null
  /** A username. */
  readonly author: string
}

/** The thread, as everybody finds it who may see what it is about. */
const linkOf = (place: Pick<Place, "match_id" | "model_id">) => {
  const { id, kind } = subjectOf(place)
  return `/v1/private/threads?${kind}=${id}`
}

/** Both write in the transaction that they are called in. */
export const makeCommentTold = Effect.gen(function* () {
  const queries = yield* makeQueries
  const tell = yield* makeTell

  /** Not who answers themselves, has taken back what they said, or may not see it any more. */
  const answered = Effect.fnUntraced(function* ({ author, id, parent_id, ...place }: Published) {
    if (parent_id === null) return
    const found = yield* Effect.orDie(queries.answered(id))
    if (Option.isNone(found)) return
    const { account_id } = found.value
    const readable = yield* Effect.orDie(queries.readable({ id: parent_id, viewer: account_id }))
    if (Option.isNone(readable)) return
    yield* tell({ kind: "comment_reply", accounts: [account_id], subject: `${author} answered your comment.`, link: linkOf(place) })
  })

  const approved = (account_id: string, comment: Published) =>
    Effect.andThen(
      tell({ kind: "comment_approved", accounts: [account_id], subject: "Your comment was approved.", link: linkOf(comment) }),
      answered(comment)
    )

  return { answered, approved }
})
