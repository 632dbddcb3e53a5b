/** A board of a season: its size, when it was in play, and its file. */
import { Effect } from "effect"
import { html, made } from "../html/Html.ts"
import { inPublic } from "../html/links.ts"
import { counted, time } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { boardPicture } from "../picture/boardPicture.ts"
import { boardInWords, pictureOf } from "./picture.ts"

export const boardPage: SharedRoute = {
  path: "/games/:game/seasons/:slug/boards/:map_id",
  query: [],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params } = asked
    const [game, slug, map_id] = [params["game"]!, params["slug"]!, params["map_id"]!]
    const board = yield* client.board.board({ params: { game, slug, map_id } })
    const main = html`${yield* crumbs(asked, { game, season: slug })}
<h1>Board ${board.map_id}</h1>
<div class="beside">
<div class="board">${made(boardPicture(board.board))}</div>
<div>
<dl>
<dt>Seats</dt><dd>${board.players}</dd>
<dt>Size</dt><dd>${board.rows} rows, ${board.cols} columns</dd>
<dt>Matches</dt><dd><a href="${at.matches({ game, season: slug, map: board.map_id })}">${counted(board.matches, "match", "matches")}</a></dd>
<dt>In play</dt><dd>${board.enabled ? "yes" : "no"}</dd>
</dl>
<h2>When it was in play</h2>
${
  board.periods.length === 0
    ? html`<p class="faint">Not yet.</p>`
    : html`<ul>${board.periods.map(({ from, to }) => html`<li>${time(from)} to ${to === null ? "now" : time(to)}</li>`)}</ul>`
}
<details><summary>Its file</summary>
<pre tabindex="0">${JSON.stringify(board.board, null, 1).replace(/\[\s+(-?\d+),\s+(-?\d+)\s+\]/g, "[$1, $2]")}</pre></details>
</div>
</div>`
    const description = `${boardInWords(board)} ${counted(board.matches, "match", "matches")} played on it.`
    return { title: `Board ${board.map_id}`, description, main, ...(at === inPublic ? { picture: pictureOf(game, slug, board) } : {}) }
  })
}
