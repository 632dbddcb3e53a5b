import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Rounds } from "./Rounds.ts"

export const RoundHandlers = group(
  Api,
  "round",
  Effect.fnUntraced(function* (handlers) {
    const rounds = yield* Rounds
    return handlers.handleAll({
      rounds: ({ query }) => Effect.flatMap(CurrentSeason, (season) => rounds.list(season, query)),
      planRound: Effect.fnUntraced(function* ({ payload }) {
        return yield* rounds.plan(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      patchRound: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* rounds.patch(yield* CurrentAccount, yield* CurrentSeason, Number(params.n), payload)
      })
    })
  })
)
