import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { ladders } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { gameTag, ladderTag, namesTag, recordTag, seasonTag } from "../http/tags.ts"
import { Seasons } from "./Seasons.ts"
import { viewer } from "./viewer.ts"

export const SeasonHandlers = HttpApiBuilder.group(
  Api,
  "season",
  Effect.fnUntraced(function* (handlers) {
    const seasons = yield* Seasons
    return handlers.handleAll({
      seasons: Effect.fnUntraced(function* ({ params }) {
        const list = yield* seasons.list(params.game, null)
        yield* tagged(gameTag(params.game), ...list.flatMap(({ id }) => [seasonTag(id), recordTag(id)]))
        return list.map(({ record }) => record)
      }),
      season: Effect.fnUntraced(function* ({ params }) {
        const { id, record } = yield* seasons.find(params.game, params.slug, null)
        yield* tagged(seasonTag(id), recordTag(id))
        return record
      }),
      podium: Effect.fnUntraced(function* ({ params }) {
        const season = yield* seasons.find(params.game, params.slug, null)
        yield* tagged(seasonTag(season.id), namesTag(season.id), ...ladders.map((ladder) => ladderTag(season.id, ladder)))
        return yield* seasons.podium(season)
      }),
      playing: ({ params }) => Effect.flatMap(seasons.find(params.game, params.slug, null), seasons.playing),
      privateSeasons: Effect.fnUntraced(function* ({ params }) {
        return (yield* seasons.list(params.game, yield* viewer)).map(({ record }) => record)
      }),
      privateSeason: Effect.fnUntraced(function* ({ params }) {
        return (yield* seasons.find(params.game, params.slug, yield* viewer)).record
      }),
      privatePodium: Effect.fnUntraced(function* ({ params }) {
        return yield* seasons.podium(yield* seasons.find(params.game, params.slug, yield* viewer))
      }),
      privatePlaying: Effect.fnUntraced(function* ({ params }) {
        return yield* seasons.playing(yield* seasons.find(params.game, params.slug, yield* viewer))
      })
    })
  })
)
