import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { gameTag, recordTag, seasonTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { Games, type ReadGame } from "./Games.ts"

const tagsOf = ({ game, season_id }: ReadGame) => [
  gameTag(game.slug),
  ...(season_id === null ? [] : [seasonTag(season_id), recordTag(season_id)])
]

export const GameHandlers = group(
  Api,
  "game",
  Effect.fnUntraced(function* (handlers) {
    const games = yield* Games
    return handlers.handleAll({
      games: Effect.fnUntraced(function* () {
        const all = yield* games.list
        yield* tagged(...all.flatMap(tagsOf))
        return all.map(({ game }) => game)
      }),
      game: Effect.fnUntraced(function* ({ params }) {
        const read = yield* games.get(params.game)
        yield* tagged(...tagsOf(read))
        return read.game
      })
    })
  })
)
