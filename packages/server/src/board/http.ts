import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { boardsTag, matchesTag, seasonTag } from "../http/tags.ts"
import { Seasons } from "../season/Seasons.ts"
import { viewer } from "../season/viewer.ts"
import { Boards, type BoardsAsked } from "./Boards.ts"

export const BoardHandlers = HttpApiBuilder.group(
  Api,
  "board",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* Boards
    const seasons = yield* Seasons
    const seasonOf = Effect.fnUntraced(function* ({ game, slug }: { readonly game: string; readonly slug: string }) {
      const { id } = yield* seasons.find(game, slug, null)
      yield* tagged(seasonTag(id), boardsTag(id), matchesTag(id))
      return id
    })
    const seenBy = Effect.fnUntraced(function* ({ game, slug }: { readonly game: string; readonly slug: string }) {
      return (yield* seasons.find(game, slug, yield* viewer)).id
    })
    return handlers.handleAll({
      boards: ({ params, query }) => Effect.flatMap(seasonOf(params), (id) => boards.list(id, query as BoardsAsked)), // parameters with defaults lose their types in the definition
      board: ({ params }) => Effect.flatMap(seasonOf(params), (id) => boards.get(id, params.map_id)),
      privateBoards: ({ params, query }) => Effect.flatMap(seenBy(params), (id) => boards.list(id, query as BoardsAsked)),
      privateBoard: ({ params }) => Effect.flatMap(seenBy(params), (id) => boards.get(id, params.map_id))
    })
  })
)
