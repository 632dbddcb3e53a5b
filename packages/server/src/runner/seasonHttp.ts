import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SeasonFleet } from "./SeasonFleet.ts"

export const SeasonFleetHandlers = HttpApiBuilder.group(
  Api,
  "seasonFleet",
  Effect.fnUntraced(function* (handlers) {
    const fleet = yield* SeasonFleet
    return handlers.handleAll({
      seasonKeys: ({ query }) => Effect.flatMap(CurrentSeason, (season) => fleet.list(season, query)),
      createSeasonKey: Effect.fnUntraced(function* ({ payload }) {
        return yield* fleet.create(yield* CurrentAccount, yield* CurrentSeason, payload.name)
      }),
      revokeSeasonKey: Effect.fnUntraced(function* ({ params }) {
        return yield* fleet.revoke(yield* CurrentAccount, yield* CurrentSeason, params.key)
      }),
      stopSeasonRunner: Effect.fnUntraced(function* ({ params }) {
        return yield* fleet.stop(yield* CurrentAccount, yield* CurrentSeason, params.runner)
      })
    })
  })
)
