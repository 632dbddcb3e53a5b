/** The seats of a match: who sat there, what became of them, and what it did to their ratings. */
import type { Frame, MatchDetail, Seat } from "@agon/api/match/Match.ts"
import { type Html, html, made } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { count, signed } from "../html/words.ts"
import { causeText } from "../picture/describe.ts"
import { readPosition } from "../picture/Position.ts"
import { seatBadge } from "../picture/seats.ts"

export const change = (change: number): Html | string => {
  const text = signed(change)
  return text === "0.0" ? text : html`<span class="${change < 0 ? "bad" : "good"}">${text}</span>`
}

const changes = (rating_change: Seat["rating_change"]): ReadonlyArray<Html> =>
  Object.entries(rating_change ?? {}).map(([ladder, by], i) => html`${i > 0 && html`<br>`}${ladder} ${change(by)}`)

/** Why each seat went out, by the last position; "" where it did not. */
const causesOf = (frame: Frame | undefined): ReadonlyArray<string> => {
  const position = frame === undefined ? undefined : readPosition(frame.view)
  return position?.seats.map(({ out }) => (out === null ? "" : causeText(out))) ?? []
}

const row = (at: Places, game: string, causes: ReadonlyArray<string>, seat: Seat): Html => html`<tr>
<td class="n">${seat.rank}</td>
<th scope="row">${made(seatBadge(game, seat.seat))} ${seat.rank === 1 ? html`<b>${link(at.model(seat.model_id), seat.model)}</b>` : link(at.model(seat.model_id), seat.model)} v${seat.version}</th>
<td>${owned(seat.owner)}</td>
<td>${seat.class}</td>
<td>${seat.outcome}</td>
${causes.length > 0 && html`<td>${causes[seat.seat] ?? ""}</td>\n`}<td class="n">${seat.score !== null && html`<span class="unit">score </span>${count(seat.score)}`}</td>
<td class="n">${seat.strikes}<span class="unit"> ${seat.strikes === 1 ? "strike" : "strikes"}</span></td>
<td>${changes(seat.rating_change)}</td>
</tr>
`

/** The better place first. `frame` is the last position, where it can be computed. */
export const seatTable = (at: Places, { game, seats }: Pick<MatchDetail, "game" | "seats">, frame?: Frame): Html => {
  const causes = causesOf(frame)
  const shown = causes.some((cause) => cause !== "") ? causes : []
  const places = seats.toSorted((a, b) => (a.rank ?? a.seat) - (b.rank ?? b.seat))
  return html`<div class="scroll" role="region" aria-label="Seats" tabindex="0"><table class="seats lines">
<caption>Who took part, the best place first</caption>
<thead><tr><th scope="col">Place</th><th scope="col">Model</th><th scope="col">Owner</th><th scope="col">Class</th><th scope="col">Outcome</th>${shown.length > 0 && html`<th scope="col">Out by</th>`}<th scope="col">Score</th><th scope="col">Strikes</th><th scope="col">Ratings</th></tr></thead>
<tbody>
${places.map((seat) => row(at, game, shown, seat))}</tbody>
</table></div>`
}
