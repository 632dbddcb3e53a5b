/** Lists of matches, and what is said of a match in one line. */
import type { CardSeat, MatchCard } from "@agon/api/match/Match.ts"
import { type Html, html, said } from "../html/Html.ts"
import { link, type Places } from "../html/links.ts"
import { count, time, words } from "../html/words.ts"
import type { SeasonNames } from "../http/seasonNames.ts"

/** `1. Alpha 80`: the better rank first. */
const placed = (at: Places, seats: ReadonlyArray<CardSeat>): Html =>
  html`<ol>${seats
    .toSorted((a, b) => (a.rank ?? a.seat) - (b.rank ?? b.seat))
    .map(
      ({ model, model_id, rank, score }) =>
        html`<li value="${rank ?? 0}">${link(at.model(model_id), model)}${score !== null && html` ${count(score)}`}</li>`
    )}</ol>`

/** `Alpha – Beta`, each name for itself. */
export const names = (seats: ReadonlyArray<Pick<CardSeat, "model">>): ReadonlyArray<Html> =>
  seats.map(({ model }, i) => html`${i > 0 && " – "}${said(model)}`)

const WINNERS_MAX = 4

/** `Alpha won.`, or who shares the first place; nothing before there is one. */
export const winners = (seats: ReadonlyArray<Pick<CardSeat, "model" | "rank">>): Html | "" => {
  const first = seats.filter(({ rank }) => rank === 1)
  if (first.length === 0) return ""
  if (first.length === 1) return html`${said(first[0]!.model)} won.`
  if (first.length > WINNERS_MAX) return html`${first.length} share the first place.`
  return html`${first.map(({ model }, i) => html`${i > 0 && (i === first.length - 1 ? " and " : ", ")}${said(model)}`)} share the first place.`
}

/** Trials are listed, and have no page. */
const row = (at: Places, seasonOf: SeasonNames, card: MatchCard): Html => html`<tr>
<th scope="row">${card.is_trial ? html`${names(card.seats)} <span class="faint">trial</span>` : html`<a href="${at.match(card.id)}">${names(card.seats)}</a>`}</th>
<td>${placed(at, card.seats)}</td>
<td><a href="${at.season(card.game, card.season)}">${said(seasonOf(card.game, card.season))}</a><br><a href="${at.board(card.game, card.season, card.map)}">${card.map}</a></td>
<td class="n">${card.turns}</td>
<td>${card.reason !== null && words(card.reason)}</td>
<td>${card.played_at !== null && time(card.played_at)}</td>
<td class="n">${card.comments}</td>
</tr>
`

export const matchTable = (at: Places, caption: string, matches: ReadonlyArray<MatchCard>, seasonOf: SeasonNames): Html =>
  matches.length === 0
    ? html`<p class="faint">No matches.</p>`
    : html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="matches">
<caption>${caption}</caption>
<thead><tr><th scope="col">Match</th><th scope="col">Places and scores</th><th scope="col">Season, board</th><th scope="col">Turns</th><th scope="col">Ending</th><th scope="col">Played</th><th scope="col">Comments</th></tr></thead>
<tbody>
${matches.map((card) => row(at, seasonOf, card))}</tbody>
</table></div>`
