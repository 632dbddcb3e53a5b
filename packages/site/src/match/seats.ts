/** The seats of a match: who sat there, what became of them, and what it did to their ratings. */
import type { MatchDetail, Seat } from "@agon/api/match/Match.ts"
import { type Html, html } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { count, signed } from "../html/words.ts"

const change = (change: number): Html => html`<span class="${change < 0 ? "bad" : "good"}">${signed(change)}</span>`

const changes = (rating_change: Seat["rating_change"]): ReadonlyArray<Html> =>
  Object.entries(rating_change ?? {}).map(([ladder, by], i) => html`${i > 0 && ", "}${ladder} ${change(by)}`)

const row = (at: Places, seat: Seat): Html => html`<tr>
<td class="n">${seat.seat + 1}</td>
<th scope="row">${link(at.model(seat.model_id), seat.model)} v${seat.version}</th>
<td>${owned(seat.owner)}</td>
<td>${seat.class}</td>
<td class="n">${seat.rank}</td>
<td class="n">${seat.score !== null && count(seat.score)}</td>
<td>${seat.outcome}</td>
<td class="n">${seat.strikes}</td>
<td>${changes(seat.rating_change)}</td>
</tr>
`

export const seatTable = (
  at: Places,
  { seats }: MatchDetail
): Html => html`<div class="scroll" role="region" aria-label="Seats" tabindex="0"><table>
<caption>Seats</caption>
<thead><tr><th scope="col">Seat</th><th scope="col">Model</th><th scope="col">Owner</th><th scope="col">Class</th><th scope="col">Place</th><th scope="col">Score</th><th scope="col">Outcome</th><th scope="col">Strikes</th><th scope="col">Ratings</th></tr></thead>
<tbody>
${seats.map((seat) => row(at, seat))}</tbody>
</table></div>`
