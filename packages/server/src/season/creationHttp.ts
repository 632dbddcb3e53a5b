import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { invalidField } from "@agon/api/Problem.ts"
import { Effect } from "effect"
import { Providers } from "../account/signin/Providers.ts"
import { group } from "../http/group.ts"
import { SeasonMaker } from "./SeasonMaker.ts"

/** Refuses a provider that is not configured: nobody has an identity there, so nobody could enter. */
const refuseUnknown = ({ bySlug, list }: Providers["Service"], named: ReadonlyArray<string>) => {
  const unknown = named.filter((slug) => bySlug(slug) === undefined)
  if (unknown.length === 0) return Effect.void
  const configured = list.length === 0 ? "None is configured." : `Configured are: ${list.map(({ slug }) => slug).join(", ")}.`
  const message = `There is no sign-in provider ${unknown.slice(0, SAID_MAX).join(", ")}. ${configured}`
  return Effect.fail(invalidField("providers", message))
}

/** How many unknown ones are named; more would push the known ones out of the sentence. */
const SAID_MAX = 3

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
