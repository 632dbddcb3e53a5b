/** The course of a ladder: how the ratings of its best models went over the season. */
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { chart } from "../html/chart.ts"
import { html, said } from "../html/Html.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { notFound } from "../http/refuse.ts"
import { ladderNav, viewNav } from "./nav.ts"

/** As many lines as there are colours and dashes (site.css). */
const LINES = 8
const isLadder = Schema.is(Ladder)

export const coursePage: SharedRoute = {
  path: "/games/:game/seasons/:slug/ladders/:ladder/course",
  query: [],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, names, params, script } = asked
    const [game, season, ladder] = [params["game"]!, params["slug"]!, params["ladder"]!]
    if (!isLadder(ladder)) return yield* notFound
    const { entries, points } = yield* client.leaderboard.series({ params: { game }, query: { season, ladder } })
    const lines = entries.slice(0, LINES).map(({ model, ratings }) => ({ name: model, values: ratings }))
    const drawn = chart({ title: `Ratings of the best on ladder ${ladder}`, points, lines })
    const season_name = yield* names.season(client, game, season)
    const main = html`${yield* crumbs(asked, { game, season, season_name, ladder })}
<h1>The ${ladder} ladder of ${said(season_name)} over time</h1>
${ladderNav(ladder, (each) => at.course(game, season, each))}
${viewNav(at, [game, season, ladder], "course")}
${drawn === "" ? html`<p class="faint">There are no ratings to draw.</p>` : drawn}`
    return { title: `The ${ladder} ladder of ${season_name} over time`, main, ...(drawn === "" ? {} : { scripts: script("chart") }) }
  })
}
