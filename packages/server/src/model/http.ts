import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { modelTag } from "../season/tags.ts"
import { tagsOfVersion } from "../version/tags.ts"
import { Models } from "./Models.ts"

export const ModelHandlers = HttpApiBuilder.group(
  Api,
  "model",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    return handlers.handleAll({
      createModel: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => models.create(account, params.game, payload.name)),
      ownModels: ({ query }) => Effect.flatMap(CurrentAccount, (account) => models.ofOwner(account, query.game, query)),
      model: Effect.fnUntraced(function* ({ params }) {
        yield* tagged(modelTag(params.id))
        const read = yield* models.get(params.id, null)
        if (Option.isNone(read)) return null
        const { model, versions } = read.value
        yield* tagged(...versions.flatMap(tagsOfVersion))
        return { ...model, versions: versions.map(({ version }) => version) }
      })
    })
  })
)
