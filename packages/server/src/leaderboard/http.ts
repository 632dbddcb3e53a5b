import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import type { Ladder } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { gameTag, ladderTag, namesTag, seasonTag } from "../http/tags.ts"
import { Seasons } from "../season/Seasons.ts"
import { viewer } from "../season/viewer.ts"
import { Leaderboards } from "./Leaderboards.ts"

export const LeaderboardHandlers = HttpApiBuilder.group(
  Api,
  "leaderboard",
  Effect.fnUntraced(function* (handlers) {
    const leaderboards = yield* Leaderboards
    const seasons = yield* Seasons
    return handlers.handleAll({
      leaderboard: Effect.fnUntraced(function* ({ params, query }) {
        const ladder = query.ladder as Ladder // a parameter with a default loses its type in the definition
        const season = yield* seasons.find(params.game, query.season, null)
        const defaulted = query.season === undefined ? [gameTag(params.game)] : []
        yield* tagged(seasonTag(season.id), namesTag(season.id), ladderTag(season.id, ladder), ...defaulted)
        return yield* leaderboards.page(season, ladder, query)
      }),
      series: Effect.fnUntraced(function* ({ params, query }) {
        const ladder = query.ladder as Ladder
        const season = yield* seasons.find(params.game, query.season, null)
        const defaulted = query.season === undefined ? [gameTag(params.game)] : []
        yield* tagged(seasonTag(season.id), namesTag(season.id), ladderTag(season.id, ladder), ...defaulted)
        return yield* leaderboards.series(season, ladder)
      }),
      privateLeaderboard: Effect.fnUntraced(function* ({ params, query }) {
        const season = yield* seasons.find(params.game, query.season, yield* viewer)
        return yield* leaderboards.page(season, query.ladder as Ladder, query)
      }),
      privateSeries: Effect.fnUntraced(function* ({ params, query }) {
        const season = yield* seasons.find(params.game, query.season, yield* viewer)
        return yield* leaderboards.series(season, query.ladder as Ladder)
      })
    })
  })
)
