import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, OwnVersion } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { twinsOf } from "../http/twins.ts"
import { tagsOfVersion } from "./tags.ts"
import { Versions } from "./Versions.ts"

export const VersionHandlers = HttpApiBuilder.group(
  Api,
  "version",
  Effect.fnUntraced(function* (handlers) {
    const versions = yield* Versions
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
      ownVersion: () => Effect.flatMap(OwnVersion, ({ id }) => versions.own(id)),
      editVersion: ({ payload }) => Effect.flatMap(OwnVersion, ({ id }) => versions.annotate(id, payload.note)),
      candidates: ({ query }) => Effect.flatMap(CurrentAccount, ({ id }) => versions.candidates(id, query))
    })
  })
)
