import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect, Layer } from "effect"
import { group } from "../http/group.ts"
import { SeasonAdministration } from "./SeasonAdministration.ts"

const SeasonEditingHandlers = group(
  Api,
  "seasonEditing",
  Effect.fnUntraced(function* (handlers) {
    const seasons = yield* SeasonAdministration
    return handlers.handleAll({
      editSeason: Effect.fnUntraced(function* ({ payload }) {
        return yield* seasons.edit(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      narrowEntry: Effect.fnUntraced(function* () {
        return yield* seasons.narrowEntry(yield* CurrentAccount, yield* CurrentSeason)
      }),
      closeSeason: Effect.fnUntraced(function* () {
        return yield* seasons.close(yield* CurrentAccount, yield* CurrentSeason)
      })
    })
  })
)

const SeasonSteeringHandlers = group(
  Api,
  "seasonSteering",
  Effect.fnUntraced(function* (handlers) {
    const seasons = yield* SeasonAdministration
    return handlers.handleAll({
      featureSeason: Effect.fnUntraced(function* () {
        return yield* seasons.feature(yield* CurrentAccount, yield* CurrentSeason)
      }),
      changeFleet: Effect.fnUntraced(function* ({ payload }) {
        return yield* seasons.changeFleet(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      changeFill: Effect.fnUntraced(function* ({ payload }) {
        return yield* seasons.changeFill(yield* CurrentAccount, yield* CurrentSeason, payload)
      })
    })
  })
)

export const SeasonAdministrationHandlers = Layer.merge(SeasonEditingHandlers, SeasonSteeringHandlers)
