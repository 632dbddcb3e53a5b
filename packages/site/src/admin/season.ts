/** A season's record as its administrators see it: what it stands at, its rules in words, and its fleet. */
import { firstPage } from "@agon/api/Pages.ts"
import type { Admissions } from "@agon/api/runner/season.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { seasonAdminAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { bytes, count, counted, time } from "../html/words.ts"
import { clock, rulesSection } from "../season/parts.ts"
import { edit, editing } from "./editSeason.ts"
import { seasonAdminPage } from "./guard.ts"
import { steering, steeringButtons, steeringForms } from "./steering.ts"

const REACHES: Readonly<Record<Exclude<Admissions["reach"], "none">, string>> = {
  own: "of the season's own fleet",
  platform: "of the platform's fleet",
  both: "of both fleets"
}

const admittersOf = ({ admitters, reach }: Admissions): string =>
  reach === "none" ? "no runner may take one" : `${counted(admitters, "runner")} ${REACHES[reach]} could take one now`

const figures = (season: Season, admissions: Admissions, playing: number): Html => {
  const { active_versions, baselines, entered_versions, entries, in_flight_versions, maps, matches_played } = season
  const to = (part: string) => seasonAdminAt(season.game, season.slug, part)
  return html`<dl>
<dt>Seen by</dt><dd>${season.visibility === "public" ? "everybody" : "its participants and administrators"}</dd>
${season.close_requested_at !== null && html`<dt>Close asked for</dt><dd>${time(season.close_requested_at)}</dd>\n`}<dt>Models</dt><dd>${count(entries)} entered, ${count(active_versions)} in play, ${counted(entered_versions, "version")} ever submitted</dd>
<dt>In admission</dt><dd>${counted(in_flight_versions, "version")}, ${count(admissions.queued)} waiting for a runner; ${admittersOf(admissions)}</dd>
<dt>Matches</dt><dd>${count(playing)} being played, ${count(matches_played)} played</dd>
<dt>Boards</dt><dd><a href="${to("boards")}">${count(maps.in_play)} in play, ${count(maps.out_of_play)} out of play</a></dd>
<dt>Baselines</dt><dd><a href="${to("baselines")}">${count(baselines.enabled)} in play, ${count(baselines.disabled)} out of play</a></dd>
<dt>Engine</dt><dd><code>${season.engine_digest}</code></dd>
</dl>`
}

/** A season without a board plays nothing. */
const firstSteps = ({ game, maps, slug, state }: Season): Html | "" =>
  maps.in_play > 0 || state === "closed"
    ? ""
    : html`<p>No match is played before a board is in play. <a href="${seasonAdminAt(game, slug, "boards")}">Add boards</a> first, then
<a href="${seasonAdminAt(game, slug, "baselines")}">baselines</a> for competitors to meet.</p>
`

const classes = ({ weight_classes }: Season): Html =>
  table(
    "Limits of a model by its class",
    ["Class", "Files up to", "Memory besides", "Memory for each cell"],
    weight_classes.map(
      (each) => html`<tr>
<th scope="row">${each.class}</th>
<td class="n"><span class="unit">files up to </span>${bytes(each.max_bytes)}</td>
<td class="n"><span class="unit">memory besides </span>${bytes(each.memory_flat_bytes)}</td>
<td class="n"><span class="unit">for each cell </span>${bytes(each.memory_cell_bytes)}</td>
</tr>
`
    ),
    "There are none."
  )

export const seasonOverview = seasonAdminPage({
  part: "",
  forms: [edit, ...steeringForms],
  buttons: steeringButtons,
  render: Effect.fnUntraced(function* ({ account, client, of, season, tried }) {
    const [{ admissions, ...settings }, { playing }, { featured_season }] = yield* Effect.all(
      [
        client.seasonFleet.seasonKeys({ params: of, query: firstPage(1) }),
        client.season.privatePlaying({ params: of }),
        client.game.game({ params: of })
      ],
      { concurrency: "unbounded" }
    )
    return html`${firstSteps(season)}${yield* clock(season)}
${figures(season, admissions, playing)}
${rulesSection(season)}
<h2>Weight classes</h2>
${classes(season)}
${editing(season, tried)}${steering(season, { isPlatform: account.admin, isFeatured: featured_season?.slug === season.slug, settings, tried })}`
  })
})
