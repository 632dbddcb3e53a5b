/** The top of a ladder against each other, as a table. A cell says how the model of its row did against that of its column. */
import type { HeadToHead, Matrix } from "@agon/api/leaderboard/api.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { link, type Places } from "../html/links.ts"
import { count } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { notFound } from "../http/refuse.ts"
import { ladderNav, viewNav } from "./nav.ts"

const ENTRIES = 20
const isLadder = Schema.is(Ladder)

/** Said in words beside the colour: who has won more. */
const verdict = ({ losses, wins }: HeadToHead): string => (wins > losses ? "ahead" : wins < losses ? "behind" : "even")

/** The slug of a season says nothing without that of its game, as two games may have the same. */
interface InSeason {
  readonly game: string
  readonly season: string
}

/** Won, drawn and lost, with a link to the matches. */
const cell = (at: Places, record: HeadToHead | null, one: string, other: string, of: InSeason): Html => {
  if (record === null) return html`<td class="self"></td>`
  const { draws, losses, wins } = record
  if (wins + draws + losses === 0) return html`<td class="none">–</td>`
  const to = at.matches({ vs: `${one},${other}`, ...of })
  return html`<td class="${verdict(record)}"><a href="${to}">${count(wins)}–${count(draws)}–${count(losses)}</a><br><small>${verdict(record)}</small></td>`
}

const matrixTable = (
  at: Places,
  game: string,
  { entries, season }: Matrix
): Html => html`<div class="scroll" role="region" aria-label="Matrix" tabindex="0"><table class="matrix">
<caption>Won–drawn–lost by the model of the row against that of the column, in all matches of the season in which both took part, whichever ladder they were made for.</caption>
<thead><tr><th scope="col">Model</th>${entries.map(({ model, rank }) => html`<th scope="col">${rank}<span class="unseen">. ${said(model)}</span></th>`)}</tr></thead>
<tbody>
${entries.map(
  ({ against, model, model_id, rank }) =>
    html`<tr><th scope="row">${rank}. ${link(at.model(model_id), model)}</th>${against.map((record, i) => cell(at, record, model_id, entries[i]!.model_id, { game, season }))}</tr>\n`
)}</tbody>
</table></div>`

export const matrixPage: SharedRoute = {
  path: "/games/:game/seasons/:slug/ladders/:ladder/matrix",
  query: [],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params } = asked
    const [game, season, ladder] = [params["game"]!, params["slug"]!, params["ladder"]!]
    if (!isLadder(ladder)) return yield* notFound
    const matrix = yield* client.leaderboard.matrix({ params: { game }, query: { season, ladder, limit: ENTRIES } })
    const main = html`${yield* crumbs(asked, { game, season, season_name: matrix.season_name, ladder })}
<h1>The ${ladder} ladder of ${said(matrix.season_name)}: the best against each other</h1>
${ladderNav(ladder, (each) => at.matrix(game, season, each))}
${viewNav(at, [game, season, ladder], "matrix")}
${matrix.entries.length === 0 ? html`<p class="faint">Nobody is on this ladder.</p>` : matrixTable(at, game, matrix)}`
    return { title: `The ${ladder} ladder of ${matrix.season_name}: the best against each other`, main }
  })
}
