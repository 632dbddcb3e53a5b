import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { VersionAdmin } from "./VersionAdmin.ts"

export const VersionAdminHandlers = HttpApiBuilder.group(
  Api,
  "versionAdmin",
  Effect.fnUntraced(function* (handlers) {
    const versions = yield* VersionAdmin
    return handlers.handleAll({
      disqualifyVersion: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* versions.disqualify(yield* CurrentAccount, yield* CurrentSeason, params.id, payload)
      }),
      reinstateVersion: Effect.fnUntraced(function* ({ params }) {
        return yield* versions.reinstate(yield* CurrentAccount, yield* CurrentSeason, params.id)
      })
    })
  })
)
