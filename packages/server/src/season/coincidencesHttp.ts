import { Api } from "@agon/api/Api.ts"
import { CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Coincidences } from "./Coincidences.ts"

export const CoincidenceHandlers = group(
  Api,
  "coincidence",
  Effect.fnUntraced(function* (handlers) {
    const coincidences = yield* Coincidences
    return handlers.handleAll({ coincidences: () => Effect.flatMap(CurrentSeason, ({ id }) => coincidences.of(id)) })
  })
)
