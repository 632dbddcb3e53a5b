import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { FleetAdmin } from "./fleet/FleetAdmin.ts"
import { SeasonFleet } from "./fleet/SeasonFleet.ts"

export const SeasonFleetHandlers = group(
  Api,
  "seasonFleet",
  Effect.fnUntraced(function* (handlers) {
    const admin = yield* FleetAdmin
    const fleet = yield* SeasonFleet
    return handlers.handleAll({
      seasonKeys: ({ query }) => Effect.flatMap(CurrentSeason, (season) => fleet.list(season, query)),
      createSeasonKey: Effect.fnUntraced(function* ({ payload }) {
        return yield* admin.create(yield* CurrentAccount, yield* CurrentSeason, payload.name)
      }),
      revokeSeasonKey: Effect.fnUntraced(function* ({ params }) {
        return yield* admin.revoke(yield* CurrentAccount, yield* CurrentSeason, params.key)
      }),
      stopSeasonRunner: Effect.fnUntraced(function* ({ params }) {
        return yield* admin.stop(yield* CurrentAccount, yield* CurrentSeason, params.runner)
      })
    })
  })
)
