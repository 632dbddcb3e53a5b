import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Forecasts } from "./Forecasts.ts"
import { VersionAdmin } from "./VersionAdmin.ts"
import { Versions } from "./Versions.ts"

export const VersionAdminHandlers = group(
  Api,
  "versionAdmin",
  Effect.fnUntraced(function* (handlers) {
    const forecasts = yield* Forecasts
    const all = yield* Versions
    const versions = yield* VersionAdmin
    return handlers.handleAll({
      seasonVersions: Effect.fnUntraced(function* ({ query }) {
        const { next_cursor, versions } = yield* all.ofSeason((yield* CurrentSeason).id, query, query)
        return { versions: yield* forecasts.added(versions), next_cursor }
      }),
      disqualifyVersion: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* versions.disqualify(yield* CurrentAccount, yield* CurrentSeason, params.id, payload)
      }),
      reinstateVersion: Effect.fnUntraced(function* ({ params }) {
        return yield* versions.reinstate(yield* CurrentAccount, yield* CurrentSeason, params.id)
      })
    })
  })
)
