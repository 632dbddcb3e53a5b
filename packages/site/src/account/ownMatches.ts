/** Matches of the visitor in every state; those that count have a page. */
import type { OwnMatch } from "@agon/api/match/Match.ts"
import { type Html, html } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { time, words } from "../html/words.ts"
import { names } from "../match/cards.ts"

const row = (at: Places, { created_at, id, map, played_at, seats, season, status }: OwnMatch): Html => {
  const own = seats.find(({ mine }) => mine)
  return html`<tr>
<th scope="row">${status !== "rated" ? names(seats) : html`<a href="${at.match(id)}">${names(seats)}</a>`}</th>
<td>${words(status)}</td>
<td>${own?.outcome}</td>
<td>${season}, ${map}</td>
<td>${time(played_at ?? created_at)}</td>
</tr>
`
}

export const ownMatchTable = (matches: ReadonlyArray<OwnMatch>, placesOf: (match: OwnMatch) => Places): Html =>
  matches.length === 0
    ? html`<p class="faint">None yet.</p>`
    : html`<div class="scroll" role="region" aria-label="My last matches" tabindex="0"><table>
<caption>The newest first, in every state</caption>
<thead><tr><th scope="col">Match</th><th scope="col">State</th><th scope="col">Outcome</th><th scope="col">Season, board</th><th scope="col">When</th></tr></thead>
<tbody>
${matches.map((match) => row(placesOf(match), match))}</tbody>
</table></div>`
