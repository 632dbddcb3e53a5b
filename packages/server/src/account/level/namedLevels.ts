/** The levels that look up what a path names outside a season; each runs inside the level that authenticates the caller. */

import * as A from "@agon/api/Authorization.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type InCommunity, Lookups } from "../../http/Lookups.ts"

/** The community's thing that a path names. */
export const makeCommunityLevels = Effect.gen(function* () {
  const lookups = yield* Lookups

  const there = (kind: InCommunity, what: string, key: "id" | "slug" | "model" = "id"): A.NamedComment["Service"] =>
    Effect.fnUntraced(function* (httpEffect) {
      const { [key]: id = "" } = yield* HttpRouter.params
      const account = yield* A.CurrentAccount
      if (yield* lookups.inCommunity(account.id, kind, id)) return yield* httpEffect
      return yield* new NotFound({ detail: `There is no such ${what}.` })
    })

  return Context.make(A.NamedComment, there("comment", "comment")).pipe(
    Context.add(A.UndeletedComment, there("undeleted", "comment")),
    Context.add(A.NamedThread, there("thread", "thread")),
    Context.add(A.NamedAnnouncement, there("announcement", "announcement")),
    Context.add(A.NamedPost, there("post", "post", "slug")),
    Context.add(A.NamedStory, there("story", "story", "model"))
  )
})

/** The account that a path names. */
export const makeNamedAccount = Effect.map(Lookups, (lookups): A.NamedAccount["Service"] =>
  Effect.fnUntraced(function* (httpEffect) {
    const { username = "" } = yield* HttpRouter.params
    if (yield* lookups.account(username)) return yield* httpEffect
    return yield* new NotFound({ detail: "There is no account of this name." })
  })
)

/** The account's webhook that a path names. */
export const makeNamedWebhook = Effect.map(Lookups, (lookups): A.NamedWebhook["Service"] =>
  Effect.fnUntraced(function* (httpEffect) {
    const { id = "" } = yield* HttpRouter.params
    if (yield* lookups.webhookOwnedBy((yield* A.CurrentAccount).id, id)) return yield* httpEffect
    return yield* new NotFound({ detail: "You have no such webhook." })
  })
)
