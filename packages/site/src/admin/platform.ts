/** The platform at a glance: its state, its games and every season with its administration. */
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { link, seasonAdminAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, time } from "../html/words.ts"
import { platformAdminPage } from "./guard.ts"

const row =
  (featured: string | undefined) =>
  ({ entries, game, matches_played, name, slug, state, submissions_close_at, visibility }: Season): Html =>
    html`<tr>
<th scope="row">${link(seasonAdminAt(game, slug), name)}${slug === featured && " (featured)"}</th>
<td>${state}</td>
<td>${visibility}</td>
<td><span class="unit">takes models until </span>${time(submissions_close_at)}</td>
<td class="n">${count(entries)}<span class="unit"> ${entries === 1 ? "model" : "models"}</span></td>
<td class="n">${count(matches_played)}<span class="unit"> ${matches_played === 1 ? "match" : "matches"}</span></td>
</tr>
`

export const platformOverview = platformAdminPage({
  part: "",
  render: Effect.fnUntraced(function* ({ client }) {
    const [status, games] = yield* Effect.all([client.admin.status(), client.game.games()], { concurrency: "unbounded" })
    const seasons = yield* Effect.forEach(games, ({ slug }) => client.season.privateSeasons({ params: { game: slug } }), {
      concurrency: "unbounded"
    })
    return html`<dl>
<dt>State</dt><dd>${status.status}, version ${status.version}</dd>
<dt>Seasons live</dt><dd>${count(status.seasons_live)}</dd>
<dt>Matches</dt><dd>${count(status.playing)} being played, ${count(status.queued)} waiting</dd>
<dt>Runners</dt><dd>${count(status.runners)}, ${count(status.admitters)} of which could examine a candidate now</dd>
</dl>
${games.map(
  ({ featured_season, name }, i) => html`<h2>${name}</h2>
${table(
  `Seasons of ${name}, the newest first`,
  ["Season", "State", "Visibility", "Takes models until", "Models", "Matches"],
  seasons[i]!.map(row(featured_season?.slug)),
  "There is no season yet."
)}
`
)}`
  })
})
