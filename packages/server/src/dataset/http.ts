import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { datasetsTag, seasonTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { Datasets } from "./Datasets.ts"

export const DatasetHandlers = group(
  Api,
  "dataset",
  Effect.fnUntraced(function* (handlers) {
    const datasets = yield* Datasets
    return handlers.handleAll({
      datasets: Effect.fnUntraced(function* ({ params, query }) {
        const { list, season_id } = yield* datasets.list(params.game, params.slug, query)
        yield* tagged(seasonTag(season_id), datasetsTag(season_id))
        return list
      })
    })
  })
)
