/** The last position of a match as a PNG, for previews of links. */
import type { MatchCard } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import type { Picture } from "../html/layout.ts"
import { matchPictureAt } from "../html/links.ts"
import { plainOf } from "../html/plainLine.ts"
import type { PictureRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"
import { positionPng } from "../picture/boardPng.ts"
import { winners } from "./cards.ts"

/** A match's picture, and the words for it, for the page of the match or one that tells of it. */
export const pictureOf = ({ id, map, seats }: Pick<MatchCard, "id" | "map" | "seats">): Picture => ({
  path: matchPictureAt(id),
  alt: `The last position of a match on the board ${map}. ${plainOf(winners(seats))}`
})

/** The service makes the position, and keeps it. */
export const matchPicture: PictureRoute = {
  path: "/matches/:id/board.png",
  picture: ({ client, params }) =>
    Effect.flatMap(client.match.frame({ params: { id: params["id"]! } }), ({ view }) => found(positionPng(view)))
}
