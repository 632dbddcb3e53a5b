import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { MatchAdmin } from "./MatchAdmin.ts"

export const MatchAdminHandlers = group(
  Api,
  "matchAdmin",
  Effect.fnUntraced(function* (handlers) {
    const matches = yield* MatchAdmin
    return handlers.handleAll({
      voidMatch: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* matches.voidMatch(yield* CurrentAccount, yield* CurrentSeason, params.id, payload.reason)
      })
    })
  })
)
