/** A game: what it is, its seasons, and the matches that administrators recommend. */
import { firstPage } from "@agon/api/Pages.ts"
import type { Season } from "@agon/api/season/Season.ts"
import type { Pick } from "@agon/api/writing/picks.ts"
import { Effect } from "effect"
import { ANNOUNCEMENTS } from "../html/feedLinks.ts"
import { type Html, html, said } from "../html/Html.ts"
import { link, matchAt, seasonAt, withQuery } from "../html/links.ts"
import { count, counted, time } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"

const seasonRow = (season: Season): Html => html`<tr>
<th scope="row">${link(seasonAt(season.game, season.slug), season.name)}</th>
<td>${season.state}</td>
<td><span class="unit">takes models from </span>${time(season.submissions_open_at)}</td>
<td><span class="unit">until </span>${time(season.submissions_close_at)}</td>
<td class="n">${count(season.entries)}<span class="unit"> ${season.entries === 1 ? "model" : "models"}</span></td>
<td class="n">${count(season.matches_played)}<span class="unit"> ${season.matches_played === 1 ? "match" : "matches"}</span></td>
</tr>
`

const pickItem = ({ match, note, picked_at }: Pick): Html => html`<li>
<h3><a href="${matchAt(match)}">A match picked on ${time(picked_at)}</a></h3>
${note !== null && html`<p>${said(note)}</p>`}
</li>
`

export const gamePage: SharedRoute = {
  path: "/games/:game",
  query: [],
  render: Effect.fnUntraced(function* ({ client, params }) {
    const of = { game: params["game"]! }
    const [game, seasons, { picks }] = yield* Effect.all(
      [client.game.game({ params: of }), client.season.seasons({ params: of }), client.pick.picks({ params: of, query: firstPage(12) })],
      { concurrency: "unbounded" }
    )
    const { max, min } = game.players
    const main = html`<h1>${game.name}</h1>
<p>${game.description} ${min === max ? counted(min, "player") : `${min} to ${max} players`}.</p>
<h2>Seasons</h2>
${
  seasons.length === 0
    ? html`<p class="faint">There is no season yet.</p>`
    : html`<div class="scroll" role="region" aria-label="Seasons" tabindex="0"><table class="lines">
<caption>Public seasons, the newest first</caption>
<thead><tr><th scope="col">Season</th><th scope="col">State</th><th scope="col">Opens</th><th scope="col">Takes models until</th><th scope="col">Models</th><th scope="col">Matches</th></tr></thead>
<tbody>
${seasons.map(seasonRow)}</tbody>
</table></div>`
}
${picks.length > 0 && html`<h2>Worth watching</h2>\n<ul class="cards">\n${picks.map(pickItem)}</ul>`}
${seasons.length > 0 && html`<p><a href="${withQuery("/matches", { game: game.slug })}">Matches of ${game.name}</a></p>`}`
    return { title: game.name, description: game.description, main, feeds: [ANNOUNCEMENTS] }
  })
}
