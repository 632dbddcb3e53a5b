import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { invalidField } from "@agon/api/Problem.ts"
import { Effect } from "effect"
import { Providers } from "../account/signin/Providers.ts"
import { group } from "../http/group.ts"
import { SeasonMaker } from "./SeasonMaker.ts"
import { unknownProviders } from "./unknownProviders.ts"

/** Refuses a provider that is not configured: nobody has an identity there, so nobody could enter. */
const refuseUnknown = (providers: Providers["Service"], named: ReadonlyArray<string>) => {
  const unknown = named.filter((slug) => providers.bySlug(slug) === undefined)
  return unknown.length === 0 ? Effect.void : Effect.fail(invalidField("providers", unknownProviders(unknown, providers)))
}

export const SeasonCreationHandlers = group(
  Api,
  "seasonCreation",
  Effect.fnUntraced(function* (handlers) {
    const providers = yield* Providers
    const seasons = yield* SeasonMaker
    return handlers.handleAll({
      createSeason: Effect.fnUntraced(function* ({ params, payload }) {
        yield* refuseUnknown(providers, payload.providers)
        return yield* seasons.create(yield* CurrentAccount, params.game, payload)
      })
    })
  })
)
