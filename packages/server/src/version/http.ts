import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, OwnVersion } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { twinsOf } from "../http/twins.ts"
import { Forecasts } from "./Forecasts.ts"
import { tagsOfVersion } from "./tags.ts"
import { type StoredVersion, Versions } from "./Versions.ts"

export const VersionHandlers = group(
  Api,
  "version",
  Effect.fnUntraced(function* (handlers) {
    const forecasts = yield* Forecasts
    const versions = yield* Versions
    const withForecast = (version: StoredVersion) => Effect.map(forecasts.added([version]), ([own]) => own!)
    const { twins } = twinsOf(handlers)
    return handlers.handleAll({
      ...twins(
        "version",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const read = yield* versions.get(params.id, viewer)
          yield* tagged(...tagsOfVersion(read))
          return read.version
        })
      ),
      ownVersion: () => Effect.flatMap(OwnVersion, ({ id }) => Effect.flatMap(versions.own(id), withForecast)),
      editVersion: ({ payload }) =>
        Effect.flatMap(OwnVersion, ({ id }) => Effect.flatMap(versions.annotate(id, payload.note), withForecast)),
      candidates: Effect.fnUntraced(function* ({ query }) {
        const page = yield* versions.candidates((yield* CurrentAccount).id, query)
        return { ...page, candidates: yield* forecasts.added(page.candidates) }
      })
    })
  })
)
