import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, OwnModel } from "@agon/api/Authorization.ts"
import type { PageOf } from "@agon/api/Page.ts"
import type { Ladder } from "@agon/api/Wire.ts"
import { Effect, Option } from "effect"
import { gameTag, ladderTag, modelTag, seasonTag, unseenTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { twinsOf } from "../http/twins.ts"
import { tagsOfVersion } from "../version/tags.ts"
import { Models } from "./Models.ts"

export const ModelHandlers = group(
  Api,
  "model",
  Effect.fnUntraced(function* (handlers) {
    const models = yield* Models
    const { twins } = twinsOf(handlers)
    return handlers.handleAll({
      createModel: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => models.create(account, params.game, payload.name)),
      ownModels: ({ query }) => Effect.flatMap(CurrentAccount, (account) => models.ofOwner(account, query.game, query)),
      ...twins(
        "model",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          yield* tagged(modelTag(params.id), unseenTag)
          const read = yield* models.get(params.id, viewer)
          if (Option.isNone(read)) return null
          const { model, versions } = read.value
          yield* tagged(...versions.flatMap(tagsOfVersion))
          return { ...model, versions: versions.map(({ version }) => version) }
        })
      ),
      editModel: Effect.fnUntraced(function* ({ payload }) {
        const { id } = yield* OwnModel
        return yield* models.edit(yield* CurrentAccount, id, payload)
      }),
      ...twins(
        "modelSeason",
        Effect.fnUntraced(function* ({ params, query }, { tagged, viewer }) {
          const ladder = query.ladder as Ladder // a parameter with a default loses its type in the definition
          const { record, season } = yield* models.season(params.id, query.season, ladder, viewer)
          const defaulted = query.season === undefined ? [gameTag(season.record.game)] : []
          yield* tagged(modelTag(params.id), seasonTag(season.id), ladderTag(season.id, ladder), ...defaulted)
          return record
        })
      ),
      ...twins(
        "modelMaps",
        Effect.fnUntraced(function* ({ params, query }, { tagged, viewer }) {
          const { maps, season } = yield* models.maps(params.id, query.season, viewer)
          yield* tagged(modelTag(params.id), seasonTag(season.id), ...(query.season === undefined ? [gameTag(season.record.game)] : []))
          return maps
        })
      ),
      ...twins(
        "rivals",
        Effect.fnUntraced(function* ({ params, query }, { tagged, viewer }) {
          const found = yield* models.rivals(params.id, query as PageOf, viewer)
          yield* tagged(unseenTag, modelTag(params.id), ...found.rivals.map(({ model_id }) => modelTag(model_id)))
          return found
        })
      )
    })
  })
)
