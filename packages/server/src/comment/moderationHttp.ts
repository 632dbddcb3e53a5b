import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Moderation } from "./Moderation.ts"

export const ModerationHandlers = group(
  Api,
  "moderation",
  Effect.fnUntraced(function* (handlers) {
    const moderation = yield* Moderation
    return handlers.handleAll({
      moderatedComments: ({ query }) => moderation.list(query.state, query),
      moderateComment: ({ params, payload }) =>
        Effect.flatMap(CurrentAccount, (account) => moderation.decide(account, params.id, payload.state)),
      moderatedThreads: ({ query }) => moderation.threads(query),
      lockThread: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => moderation.lock(account, params.id, payload.locked))
    })
  })
)
