import { Api } from "@agon/api/Api.ts"
import { ladders } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { gameTag, ladderTag, namesTag, recordTag, seasonTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { twinsOf } from "../http/twins.ts"
import { Seasons } from "./Seasons.ts"

export const SeasonHandlers = group(
  Api,
  "season",
  Effect.fnUntraced(function* (handlers) {
    const seasons = yield* Seasons
    const { twins, uncachedTwins } = twinsOf(handlers)
    return handlers.handleAll({
      ...twins(
        "seasons",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const list = yield* seasons.list(params.game, viewer)
          yield* tagged(gameTag(params.game), ...list.flatMap(({ id }) => [seasonTag(id), recordTag(id)]))
          return list.map(({ record }) => record)
        })
      ),
      ...twins(
        "season",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const { id, record } = yield* seasons.find(params.game, params.slug, viewer)
          yield* tagged(seasonTag(id), recordTag(id))
          return record
        })
      ),
      ...twins(
        "podium",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const season = yield* seasons.find(params.game, params.slug, viewer)
          yield* tagged(seasonTag(season.id), namesTag(season.id), ...ladders.map((ladder) => ladderTag(season.id, ladder)))
          return yield* seasons.podium(season)
        })
      ),
      ...uncachedTwins("playing", ({ params }, { viewer }) =>
        Effect.flatMap(seasons.find(params.game, params.slug, viewer), seasons.playing)
      )
    })
  })
)
