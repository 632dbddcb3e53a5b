/** A board as a PNG, for previews of links. */
import { Effect } from "effect"
import type { Picture } from "../html/layout.ts"
import { boardPictureAt } from "../html/links.ts"
import { counted } from "../html/words.ts"
import type { PictureRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"
import { boardPng } from "../picture/boardPng.ts"

interface Board {
  readonly map_id: string
  readonly rows: number
  readonly cols: number
  readonly players: number
}

export const boardInWords = ({ cols, map_id, players, rows }: Board): string =>
  `The board ${map_id}: ${counted(rows, "row")}, ${counted(cols, "column")}, ${counted(players, "seat")}.`

export const pictureOf = (game: string, season: string, board: Board): Picture => ({
  path: boardPictureAt(game, season, board.map_id),
  alt: boardInWords(board)
})

export const boardPictureFile: PictureRoute = {
  path: "/games/:game/seasons/:slug/boards/:map_id/board.png",
  picture: ({ client, params }) => {
    const of = { game: params["game"]!, slug: params["slug"]!, map_id: params["map_id"]! }
    return Effect.flatMap(client.board.board({ params: of }), ({ board }) => found(boardPng(board)))
  }
}
