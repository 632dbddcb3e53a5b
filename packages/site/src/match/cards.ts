/** Lists of matches, and what is said of a match in one line. */
import type { CardSeat, MatchCard } from "@agon/api/match/Match.ts"
import { type Html, html, said } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { count, time, words } from "../html/words.ts"
import type { SeasonNames } from "../http/seasonNames.ts"

/**
 * `Alpha 80 – Beta 50`: the better rank first, and the first ones stand out. Models of the same rank have a sign of equality between them.
 */
export const placed = (seats: ReadonlyArray<CardSeat>): ReadonlyArray<Html> => {
  const places = seats.toSorted((a, b) => (a.rank ?? a.seat) - (b.rank ?? b.seat))
  return places.map(({ model, rank, score }, i) => {
    const between = i > 0 && (rank !== null && places[i - 1]!.rank === rank ? " = " : " – ")
    return html`${between}${rank === 1 ? html`<b>${said(model)}</b>` : said(model)}${score !== null && html` <small>${count(score)}</small>`}`
  })
}

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

/** Columns that say the same in each row are left out. */
interface Columns {
  /** The model whose place each row tells. */
  readonly of: string | undefined
  readonly seasons: boolean
  readonly comments: boolean
}

const OUTCOMES = { good: "won", bad: "lost" } as const

/** Whether another seat has this place too. */
export const isShared = (seats: ReadonlyArray<CardSeat>, place: number): boolean => seats.filter(({ rank }) => rank === place).length > 1

/** `1 of 5`: the best place of the model's. */
const placeOf = (of: string, seats: ReadonlyArray<CardSeat>): Html => {
  const rank = Math.min(...seats.flatMap(({ model_id, rank }) => (model_id === of && rank !== null ? [rank] : [])))
  if (rank === Infinity) return html`<td class="place"></td>\n`
  const colour = rank > 1 ? "bad" : isShared(seats, rank) ? undefined : "good"
  return html`<td class="place${colour !== undefined && ` ${colour}`}">${rank} of ${seats.length}${colour === undefined ? ", shared" : html`<span class="unseen">, ${OUTCOMES[colour]}</span>`}</td>\n`
}

/** The unit of a figure stands beside it where the list has no headings (match.css). */
const figure = (n: number, one: string): Html => html`${count(n)}<span class="unit"> ${one}${n !== 1 && "s"}</span>`

/** Trials are listed, and have no page. */
const row = (at: Places, seasonOf: SeasonNames, columns: Columns, card: MatchCard): Html => html`<tr>
<th scope="row">${card.is_trial ? html`${names(card.seats)} <span class="faint">trial</span>` : html`<a href="${at.match(card.id)}">${placed(card.seats)}</a>`}</th>
${columns.of !== undefined && placeOf(columns.of, card.seats)}${columns.seasons && html`<td class="of"><a href="${at.season(card.game, card.season)}">${said(seasonOf(card.game, card.season))}</a></td>\n`}<td class="of"><a href="${at.board(card.game, card.season, card.map)}">${card.map}</a></td>
<td class="n">${card.turns !== null && figure(card.turns, "turn")}</td>
<td class="ending">${card.reason !== null && words(card.reason)}</td>
<td class="played">${card.played_at !== null && time(card.played_at)}</td>
${columns.comments && html`<td class="n">${card.comments > 0 && figure(card.comments, "comment")}</td>\n`}</tr>
`

/** `of`: the model whose place is told in each. */
export const matchTable = (at: Places, caption: string, matches: ReadonlyArray<MatchCard>, seasonOf: SeasonNames, of?: string): Html => {
  if (matches.length === 0) return html`<p class="faint">No match has been played.</p>`
  const columns: Columns = {
    of,
    seasons: matches.some(({ game, season }) => game !== matches[0]!.game || season !== matches[0]!.season),
    comments: matches.some(({ comments }) => comments > 0)
  }
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="matches lines">
<caption>${caption}</caption>
<thead><tr><th scope="col">Match, the winner first</th>${of !== undefined && html`<th scope="col">Place</th>`}${columns.seasons && html`<th scope="col">Season</th>`}<th scope="col">Board</th><th scope="col">Turns</th><th scope="col">Ending</th><th scope="col">Played</th>${columns.comments && html`<th scope="col">Comments</th>`}</tr></thead>
<tbody>
${matches.map((card) => row(at, seasonOf, columns, card))}</tbody>
</table></div>`
}
