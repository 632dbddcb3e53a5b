import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { matchTag, seasonTag, unseenTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { RateLimits } from "../http/limit/RateLimits.ts"
import { twinsOf } from "../http/twins.ts"
import { Comments } from "./Comments.ts"
import { Threads } from "./Threads.ts"
import { authoredTag, threadTag } from "./tags.ts"

export const CommunityHandlers = group(
  Api,
  "community",
  Effect.fnUntraced(function* (handlers) {
    const comments = yield* Comments
    const threads = yield* Threads
    const limits = yield* RateLimits
    const { twins } = twinsOf(handlers)
    return handlers.handleAll({
      ...twins(
        "thread",
        Effect.fnUntraced(function* ({ query }, { tagged, viewer }) {
          const { season_id, thread } = yield* threads.read(query, query, viewer)
          const { id, kind } = thread.thread.subject
          const seen = kind === "match" ? [matchTag(id)] : []
          yield* tagged(threadTag(id), ...seen, ...(season_id === null ? [] : [seasonTag(season_id)]))
          return thread
        })
      ),
      postComment: ({ payload }) =>
        Effect.flatMap(CurrentAccount, (account) => Effect.andThen(limits.take("comment", account.id), threads.post(account, payload))),
      deleteComment: ({ params }) => Effect.flatMap(CurrentAccount, (account) => comments.remove(account, params.id)),
      reportComment: ({ params, payload }) =>
        Effect.flatMap(CurrentAccount, (account) => comments.report(account, params.id, payload.reason)),
      pendingComments: ({ query }) => Effect.flatMap(CurrentAccount, (account) => comments.pending(account, query)),
      profileComments: Effect.fnUntraced(function* ({ params, query }) {
        const found = yield* comments.ofAuthor(params.username, query)
        yield* tagged(authoredTag(params.username), unseenTag)
        return found
      })
    })
  })
)
