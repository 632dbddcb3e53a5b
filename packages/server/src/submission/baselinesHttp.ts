import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Baselines } from "./Baselines.ts"

export const BaselineHandlers = group(
  Api,
  "baseline",
  Effect.fnUntraced(function* (handlers) {
    const baselines = yield* Baselines
    return handlers.handleAll({
      baselines: ({ query }) => Effect.flatMap(CurrentSeason, (season) => baselines.list(season, query)),
      recordBaseline: Effect.fnUntraced(function* ({ payload }) {
        return yield* baselines.record(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      switchBaseline: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* baselines.switch(yield* CurrentAccount, yield* CurrentSeason, params.baseline, payload.enabled)
      }),
      importBaselines: Effect.fnUntraced(function* ({ payload }) {
        return yield* baselines.import(yield* CurrentAccount, yield* CurrentSeason, payload)
      })
    })
  })
)
