/** A model's record in a season, its rating over time, and its rivals. */
import type { Series } from "@agon/api/leaderboard/api.ts"
import type { ModelDetail, ModelResult, ModelSeason, Rival } from "@agon/api/model/api.ts"
import { lineGraph } from "../html/graph.ts"
import { type Html, html } from "../html/Html.ts"
import { ladderAt, link, matchAt, modelAt, owned, seasonAt, withQuery } from "../html/links.ts"
import { count, signed, time } from "../html/words.ts"
import { ladderNav } from "../leaderboard/nav.ts"

/** Links to the record in another season or on another ladder. */
export const choices = (
  { game, id }: ModelDetail,
  seasons: ReadonlyArray<string>,
  season: string | undefined,
  ladder: string
): Html | "" => {
  if (season === undefined) return ""
  const to = (query: Readonly<Record<string, string>>) => withQuery(modelAt(id), { season, ladder, ...query })
  const current = (is: boolean) => is && html` aria-current="page"`
  return html`<h2>In season <a href="${seasonAt(game, season)}">${season}</a>, on the ladder <a href="${ladderAt(game, season, ladder)}">${ladder}</a></h2>
<nav aria-label="Season"><ul>
${seasons.map((each) => html`<li><a href="${to({ season: each })}"${current(each === season)}>${each}</a></li>\n`)}</ul></nav>
${ladderNav(ladder, (each) => to({ ladder: each }), "Ladder")}`
}

const result = ({ match, outcome, played_at, rank, rating_change }: ModelResult): Html =>
  html`<a href="${matchAt(match)}">a ${outcome} on ${time(played_at)}</a>, place ${rank}, rating ${signed(rating_change)}`

export const seasonRecord = ({ best, last, rank, rank_week_ago, worst }: ModelSeason): Html => html`<dl>
<dt>Rank</dt><dd>${rank === null ? "not on this ladder" : `${count(rank)}${rank_week_ago === null ? "" : `, a week ago ${count(rank_week_ago)}`}`}</dd>
${best !== null && html`<dt>Best match</dt><dd>${result(best)}</dd>\n`}${worst !== null && html`<dt>Worst match</dt><dd>${result(worst)}</dd>\n`}${
  last.length > 0 && html`<dt>Last matches</dt><dd><ul>${last.map((each) => html`<li>${result(each)}</li>`)}</ul></dd>\n`
}</dl>`

/** The series has the best fifty of the ladder; of any other model nothing is drawn. */
export const ratingGraph = ({ entries, points }: Series, model_id: string): Html | "" => {
  const entry = entries.find((one) => one.model_id === model_id)
  if (entry === undefined || points.length < 2) return ""
  return lineGraph("Rating over the season", entry.ratings, points[0]!.slice(0, 10), points.at(-1)!.slice(0, 10))
}

const rival = (of: string, { draws, last_played_at, losses, model, model_id, owner, played, wins }: Rival): Html => html`<tr>
<th scope="row">${link(modelAt(model_id), model)}</th>
<td>${owned(owner)}</td>
<td class="n"><a href="${withQuery("/matches", { vs: `${of},${model_id}` })}">${count(played)}</a></td>
<td class="n">${count(wins)}</td>
<td class="n">${count(draws)}</td>
<td class="n">${count(losses)}</td>
<td>${time(last_played_at)}</td>
</tr>
`

export const rivalTable = (of: string, rivals: ReadonlyArray<Rival>): Html =>
  rivals.length === 0
    ? html`<p class="faint">It has met nobody yet.</p>`
    : html`<div class="scroll" role="region" aria-label="Rivals" tabindex="0"><table>
<caption>The models that it has met most often</caption>
<thead><tr><th scope="col">Model</th><th scope="col">Owner</th><th scope="col">Matches</th><th scope="col">Won</th><th scope="col">Drawn</th><th scope="col">Lost</th><th scope="col">Met last</th></tr></thead>
<tbody>
${rivals.map((each) => rival(of, each))}</tbody>
</table></div>`
