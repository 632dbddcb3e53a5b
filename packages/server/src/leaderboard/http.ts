import { Api } from "@agon/api/Api.ts"
import type { Ladder } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { gameTag, ladderTag, modelTag, namesTag, seasonTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { type Reader, twinsOf } from "../http/twins.ts"
import { Seasons } from "../season/Seasons.ts"
import { Leaderboards } from "./Leaderboards.ts"

interface OfLadder {
  readonly game: string
  readonly season: string | undefined
  readonly ladder: Ladder
}

export const LeaderboardHandlers = group(
  Api,
  "leaderboard",
  Effect.fnUntraced(function* (handlers) {
    const leaderboards = yield* Leaderboards
    const seasons = yield* Seasons
    const { twins } = twinsOf(handlers)
    const seasonOf = Effect.fnUntraced(function* ({ game, ladder, season: slug }: OfLadder, { tagged, viewer }: Reader) {
      const season = yield* seasons.find(game, slug, viewer)
      yield* tagged(seasonTag(season.id), namesTag(season.id), ladderTag(season.id, ladder), ...(slug === undefined ? [gameTag(game)] : []))
      return season
    })
    return handlers.handleAll({
      ...twins(
        "leaderboard",
        Effect.fnUntraced(function* ({ params, query }, reader) {
          const ladder = query.ladder as Ladder // a parameter with a default loses its type in the definition
          const season = yield* seasonOf({ game: params.game, season: query.season, ladder }, reader)
          return yield* leaderboards.page(season, ladder, query)
        })
      ),
      ...twins(
        "series",
        Effect.fnUntraced(function* ({ params, query }, reader) {
          const ladder = query.ladder as Ladder
          const season = yield* seasonOf({ game: params.game, season: query.season, ladder }, reader)
          return yield* leaderboards.series(season, ladder)
        })
      ),
      ...twins(
        "matrix",
        Effect.fnUntraced(function* ({ params, query }, reader) {
          const ladder = query.ladder as Ladder
          const season = yield* seasonOf({ game: params.game, season: query.season, ladder }, reader)
          const matrix = yield* leaderboards.matrix(season, ladder, query.limit)
          // Their matches on other ladders count too.
          yield* reader.tagged(...matrix.entries.map(({ model_id }) => modelTag(model_id)))
          return matrix
        })
      )
    })
  })
)
