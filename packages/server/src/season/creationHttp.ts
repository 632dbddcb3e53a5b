import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SeasonMaker } from "./SeasonMaker.ts"

export const SeasonCreationHandlers = HttpApiBuilder.group(
  Api,
  "seasonCreation",
  Effect.fnUntraced(function* (handlers) {
    const seasons = yield* SeasonMaker
    return handlers.handleAll({
      createSeason: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => seasons.create(account, params.game, payload))
    })
  })
)
