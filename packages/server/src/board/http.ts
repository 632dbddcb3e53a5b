import { Api } from "@agon/api/Api.ts"
import { Effect } from "effect"
import { boardsTag, matchesTag, seasonTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { type Reader, twinsOf } from "../http/twins.ts"
import { Seasons } from "../season/Seasons.ts"
import { Boards, type BoardsAsked } from "./Boards.ts"

export const BoardHandlers = group(
  Api,
  "board",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* Boards
    const seasons = yield* Seasons
    const { twins } = twinsOf(handlers)
    const seasonOf = Effect.fnUntraced(function* (
      { game, slug }: { readonly game: string; readonly slug: string },
      { tagged, viewer }: Reader
    ) {
      const { id } = yield* seasons.find(game, slug, viewer)
      yield* tagged(seasonTag(id), boardsTag(id), matchesTag(id))
      return id
    })
    return handlers.handleAll({
      ...twins("boards", ({ params, query }, reader) =>
        Effect.flatMap(seasonOf(params, reader), (id) => boards.list(id, query as BoardsAsked))
      ), // parameters with defaults lose their types in the definition
      ...twins("board", ({ params }, reader) => Effect.flatMap(seasonOf(params, reader), (id) => boards.get(id, params.map_id)))
    })
  })
)
