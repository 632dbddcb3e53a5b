import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, OwnVersion } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { viewer } from "../season/viewer.ts"
import { tagsOfVersion } from "./tags.ts"
import { Versions } from "./Versions.ts"

export const VersionHandlers = HttpApiBuilder.group(
  Api,
  "version",
  Effect.fnUntraced(function* (handlers) {
    const versions = yield* Versions
    return handlers.handleAll({
      version: Effect.fnUntraced(function* ({ params }) {
        const read = yield* versions.get(params.id, null)
        yield* tagged(...tagsOfVersion(read))
        return read.version
      }),
      ownVersion: () => Effect.flatMap(OwnVersion, ({ id }) => versions.own(id)),
      editVersion: ({ payload }) => Effect.flatMap(OwnVersion, ({ id }) => versions.annotate(id, payload.note)),
      privateVersion: Effect.fnUntraced(function* ({ params }) {
        return (yield* versions.get(params.id, yield* viewer)).version
      }),
      candidates: ({ query }) => Effect.flatMap(CurrentAccount, ({ id }) => versions.candidates(id, query))
    })
  })
)
