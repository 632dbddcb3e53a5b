import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { group } from "../http/group.ts"
import { Users } from "./Users.ts"
import { WordList } from "./WordList.ts"

export const PlatformHandlers = group(
  Api,
  "platform",
  Effect.fnUntraced(function* (handlers) {
    const trail = yield* AuditTrail
    const users = yield* Users
    const words = yield* WordList
    return handlers.handleAll({
      audit: ({ query }) => trail.list(query),
      users: ({ query }) => users.list(query.q, query),
      editUser: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => users.edit(account, params.username, payload)),
      words: ({ query }) => words.list(query),
      addWord: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => words.add(account, payload.word)),
      removeWord: ({ params }) => Effect.flatMap(CurrentAccount, (account) => words.remove(account, params.word))
    })
  })
)
