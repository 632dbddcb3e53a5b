import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MatchAdmin } from "./MatchAdmin.ts"

export const MatchAdminHandlers = HttpApiBuilder.group(
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
