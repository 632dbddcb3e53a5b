import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { UnknownProvider } from "@agon/api/account/api.ts"
import { type InvalidRequest, invalidField } from "@agon/api/Problem.ts"
import { Effect, Layer } from "effect"
import { Providers } from "../account/signin/Providers.ts"
import { group } from "../http/group.ts"
import { SeasonPeople } from "./SeasonPeople.ts"
import { unknownProviders } from "./unknownProviders.ts"

/** The name that a DELETE carries: in its body, or in the query where a proxy dropped the body. */
const removed = <const Name extends string>(
  name: Name,
  { payload, query }: { readonly payload: { readonly [K in Name]?: string } | null; readonly query: { readonly [K in Name]?: string } }
): Effect.Effect<string, InvalidRequest> => {
  const found = payload?.[name] ?? query[name]
  return found === undefined ? Effect.fail(invalidField(name, `Name what to remove by ${name}.`)) : Effect.succeed(found)
}

const RosterHandlers = group(
  Api,
  "roster",
  Effect.fnUntraced(function* (handlers) {
    const people = yield* SeasonPeople
    const providers = yield* Providers
    return handlers.handleAll({
      participants: ({ query }) => Effect.flatMap(CurrentSeason, (season) => people.participants(season, query.login, query)),
      addParticipants: Effect.fnUntraced(function* ({ payload }) {
        const { logins, provider: named } = payload
        const provider = named === undefined ? providers.list[0] : providers.bySlug(named)
        if (provider === undefined) {
          return yield* new UnknownProvider({ detail: unknownProviders(named === undefined ? [] : [named], providers) })
        }
        return yield* people.add(yield* CurrentAccount, yield* CurrentSeason, { logins, provider: provider.slug })
      }),
      removeParticipant: Effect.fnUntraced(function* (request) {
        return yield* people.remove(yield* CurrentAccount, yield* CurrentSeason, yield* removed("id", request))
      }),
      seasonAdmins: ({ query }) => Effect.flatMap(CurrentSeason, (season) => people.administrators(season, query))
    })
  })
)

const SeasonAdminsHandlers = group(
  Api,
  "seasonAdmins",
  Effect.fnUntraced(function* (handlers) {
    const people = yield* SeasonPeople
    return handlers.handleAll({
      appointAdmin: Effect.fnUntraced(function* ({ payload }) {
        return yield* people.appoint(yield* CurrentAccount, yield* CurrentSeason, payload.username)
      }),
      dismissAdmin: Effect.fnUntraced(function* (request) {
        return yield* people.dismiss(yield* CurrentAccount, yield* CurrentSeason, yield* removed("username", request))
      })
    })
  })
)

export const SeasonPeopleHandlers = Layer.merge(RosterHandlers, SeasonAdminsHandlers)
