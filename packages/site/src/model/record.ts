/** A model's record in a season, its rating over time, and its rivals. */
import type { Series } from "@agon/api/leaderboard/api.ts"
import type { ModelDetail, ModelMap, ModelMaps, ModelResult, ModelSeason, Rival } from "@agon/api/model/api.ts"
import { chart } from "../html/chart.ts"
import { type Html, html, said } from "../html/Html.ts"
import { link, owned, type Places, withQuery } from "../html/links.ts"
import { count, grouped, signed, time } from "../html/words.ts"
import type { SeasonNames } from "../http/seasonNames.ts"
import { half, plusMinus } from "../leaderboard/interval.ts"
import { ladderNav } from "../leaderboard/nav.ts"

interface Choice {
  /** Those in which the model has versions. */
  readonly seasons: ReadonlyArray<string>
  readonly season: string | undefined
  readonly ladder: string
}

/** Links to the record in another season or on another ladder. */
export const choices = (at: Places, { game, id }: ModelDetail, { ladder, season, seasons }: Choice, seasonOf: SeasonNames): Html | "" => {
  if (season === undefined) return ""
  const to = (query: Readonly<Record<string, string>>) => withQuery(at.model(id), { season, ladder, ...query })
  const current = (is: boolean) => is && html` aria-current="page"`
  return html`<h2>In season ${link(at.season(game, season), seasonOf(game, season))}, on the ladder <a href="${at.ladder(game, season, ladder)}">${ladder}</a></h2>
${
  seasons.length > 1 &&
  html`<nav aria-label="Season"><ul>
${seasons.map((each) => html`<li><a href="${to({ season: each })}"${current(each === season)}>${said(seasonOf(game, each))}</a></li>\n`)}</ul></nav>
`
}${ladderNav(ladder, (each) => to({ ladder: each }), "Ladder")}`
}

const result = (at: Places, { match, outcome, played_at, rank, rating_change }: ModelResult): Html =>
  html`<a href="${at.match(match)}">a ${outcome} on ${time(played_at)}</a>, place ${rank}, rating ${signed(rating_change)}`

/** The figures of the version that stands on the ladder. */
const ratingOf = ({ ladder, season }: Choice, { versions }: ModelDetail): Html | false => {
  const of = versions.find((version) => version.season === season && version.status === "entered")?.ratings[ladder]
  return (
    of !== undefined &&
    html`<div><dt>Rating</dt><dd>${Math.round(of.rating)} <small>${plusMinus(of)}</small></dd></div>
<div><dt>Rated matches</dt><dd>${count(of.matches)}</dd></div>
`
  )
}

/** The rating's changes by the last matches, the newest last, as the chart beneath has them. */
const form = (at: Places, last: ModelSeason["last"]): Html | false =>
  last.length > 0 &&
  html`<dt>Rating by the last matches</dt><dd>${last.toReversed().map(({ match, outcome, rating_change }, i) => html`${i > 0 && ", "}<a href="${at.match(match)}">${signed(rating_change)}<span class="unseen"> (a ${outcome})</span></a>`)}</dd>\n`

export const seasonRecord = (
  at: Places,
  model: ModelDetail,
  choice: Choice,
  { best, last, rank, rank_week_ago, worst }: ModelSeason
): Html => html`<dl class="figures">
<div><dt>Rank</dt><dd>${rank === null ? html`<small>not on this ladder</small>` : count(rank)}${rank !== null && rank_week_ago !== null && html` <small>a week ago ${count(rank_week_ago)}</small>`}</dd></div>
${ratingOf(choice, model)}</dl>
<dl>
${form(at, last)}${best !== null && html`<dt>Best match</dt><dd>${result(at, best)}</dd>\n`}${worst !== null && html`<dt>Worst match</dt><dd>${result(at, worst)}</dd>\n`}</dl>`

/** The series has the best fifty of the ladder; of any other model nothing is drawn. The interval is the present one. */
export const ratingChart = ({ entries, ladder, points }: Series, { id, versions }: ModelDetail): Html | "" => {
  const entry = entries.find((one) => one.model_id === id)
  if (entry === undefined) return ""
  const standing = versions.find(({ version_id }) => version_id === entry.version_id)?.ratings[ladder]
  return chart({
    title: "Rating over the season",
    points,
    lines: [{ name: "Rating", values: entry.ratings }],
    ...(standing === undefined ? {} : { interval: { low: standing.rating - half(standing), high: standing.rating + half(standing) } })
  })
}

const mapRow = (at: Places, game: string, season: string, of: string, map: ModelMap): Html => html`<tr>
<th scope="row"><a href="${at.board(game, season, map.map_id)}">${map.map_id}</a></th>
<td class="n">${map.players}<span class="unit"> seats</span></td>
<td class="n"><a href="${at.matches({ model: of, game, season, map: map.map_id })}">${count(map.matches)}</a><span class="unit"> ${map.matches === 1 ? "match" : "matches"}</span></td>
<td class="n"><span class="unit">place </span>${map.mean_rank.toFixed(2)}</td>
<td class="n"><span class="unit">score </span>${grouped(map.mean_score)}</td>
<td class="n"><span class="unit">rating </span>${signed(map.mean_rating_change)}</td>
</tr>
`

export const mapTable = (at: Places, { game, id }: ModelDetail, { maps, season }: ModelMaps): Html =>
  maps.length === 0
    ? html`<p class="faint">It has no counted match in this season.</p>`
    : html`<div class="scroll" role="region" aria-label="Boards" tabindex="0"><table class="lines">
<caption>Boards of the season, with means over its matches on each; the change is that of its rating on open</caption>
<thead><tr><th scope="col">Board</th><th scope="col">Seats</th><th scope="col">Matches</th><th scope="col">Place</th><th scope="col">Score</th><th scope="col">Change of rating</th></tr></thead>
<tbody>
${maps.map((map) => mapRow(at, game, season, id, map))}</tbody>
</table></div>`

const rival = (at: Places, of: string, { draws, last_played_at, losses, model, model_id, owner, played, wins }: Rival): Html => html`<tr>
<th scope="row">${link(at.model(model_id), model)}</th>
<td>${owned(owner)}</td>
<td class="n"><a href="${at.matches({ vs: `${of},${model_id}` })}">${count(played)}</a><span class="unit"> ${played === 1 ? "match" : "matches"}</span></td>
<td class="n">${count(wins)}<span class="unit"> won</span></td>
<td class="n">${count(draws)}<span class="unit"> drawn</span></td>
<td class="n">${count(losses)}<span class="unit"> lost</span></td>
<td><span class="unit">last </span>${time(last_played_at)}</td>
</tr>
`

export const rivalTable = (at: Places, of: string, rivals: ReadonlyArray<Rival>): Html =>
  rivals.length === 0
    ? html`<p class="faint">It has met nobody.</p>`
    : html`<div class="scroll" role="region" aria-label="Rivals" tabindex="0"><table class="lines">
<caption>The models that it has met most often</caption>
<thead><tr><th scope="col">Model</th><th scope="col">Owner</th><th scope="col">Matches</th><th scope="col">Won</th><th scope="col">Drawn</th><th scope="col">Lost</th><th scope="col">Met last</th></tr></thead>
<tbody>
${rivals.map((each) => rival(at, of, each))}</tbody>
</table></div>`
