/** The first of a ladder, for pages that lead to it: who leads, by how much, and how sure that is. */
import type { Client } from "@agon/api/Client.ts"
import type { Entry, Leaderboard } from "@agon/api/leaderboard/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { type Html, html, said } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { plainOf } from "../html/plainLine.ts"
import { counted } from "../html/words.ts"
import { plusMinus } from "./interval.ts"
import { shownRanks } from "./table.ts"

const ROWS = 5

/** One more than is shown, which may have the rating of the last. */
export const readTop = (client: Client, { game, slug }: Pick<Season, "game" | "slug">) =>
  client.leaderboard.leaderboard({ params: { game }, query: { season: slug, ladder: "open", ...firstPage(ROWS + 1) } })

/** How much the first is ahead, and how many others may be as strong. */
export const lead = ({ closed, entries }: Leaderboard): Html => {
  const [first, second] = entries
  if (first === undefined || second === undefined) return html`The only model so far.`
  const points = Math.round(first.rating - second.rating)
  // Whoever is named as level with the first is no other.
  const others = Math.max(0, first.rank_high - (points === 0 ? 2 : 1))
  const sure =
    others === 0 ? "No other is likely to be as strong." : `${counted(others, "other")} may be as strong, as far as the matches tell.`
  // A season that is over has its winners on the podium, on which no baseline stands.
  const place = closed && first.owner === null ? html` A baseline takes no place.` : ""
  const level = closed ? "ended level" : "are level"
  if (entries[2] !== undefined && Math.round(first.rating - entries[2].rating) === 0)
    return html`<b>${said(first.model)}</b>, <b>${said(second.model)}</b> and others ${level}, as far as the matches tell.${place}`
  if (points === 0) return html`<b>${said(first.model)}</b> and <b>${said(second.model)}</b> ${level}. ${sure}${place}`
  const by = counted(points, "point")
  return html`<b>${said(first.model)}</b> ${closed ? `ended ${by} ahead` : `leads by ${by}`}. ${sure}${place}`
}

/** A ladder in words, for places without elements. */
export const ladderInWords = (board: Leaderboard): string =>
  `${counted(board.total, "model")}.${board.entries.length > 1 ? ` ${plainOf(lead(board))}` : ""}`

const row = (at: Places, entry: Entry, rank: string): Html => {
  const { model, model_id, owner, provisional, rating } = entry
  return html`<tr>
<td class="n">${rank}</td>
<th scope="row">${link(at.model(model_id), model)}</th>
<td class="n"><b>${Math.round(rating)}</b>${provisional && "?"} <small>${plusMinus(entry)}</small></td>
<td>${owned(owner)}</td>
</tr>
`
}

/** Nothing where nobody is on the ladder. */
export const topOf = (at: Places, { game, name, slug }: Pick<Season, "game" | "name" | "slug">, board: Leaderboard): Html | "" => {
  const { entries, total } = board
  if (entries.length === 0) return ""
  const ranks = shownRanks(entries)
  const label = `The best of ${name}`
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="top">
<caption>${lead(board)}</caption>
<thead><tr><th scope="col">Rank</th><th scope="col">Model</th><th scope="col">Rating</th><th scope="col">Owner</th></tr></thead>
<tbody>
${entries.slice(0, ROWS).map((entry, i) => row(at, entry, ranks[i]!))}</tbody>
</table></div>
<p><a href="${at.ladder(game, slug, "open")}">The whole ladder of ${counted(total, "model")}</a></p>
`
}
