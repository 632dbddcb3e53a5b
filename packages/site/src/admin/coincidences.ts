/** Results and networks that agree in a season more than chance allows, with the figures, and what does not follow from them. */
import type { Companion, Likeness, PairOfOwners, VersionOfOwner } from "@agon/api/season/coincidences.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { owned, placesFor, seasonAdminAt } from "../html/links.ts"
import { count, counted, decimal, time } from "../html/words.ts"
import { seasonAdminPage } from "./guard.ts"

const PERCENT = 100
/** Below it a share is not told closer. */
const SHARE_MIN = 0.001

/** `3.2 %` */
const share = (chance: number): string =>
  chance < SHARE_MIN ? `less than ${SHARE_MIN * PERCENT} %` : `at most ${decimal(chance * PERCENT)} %`

/** Matches of the season in which the owner had a seat. */
const matchesOf = (season: Season, owner: string): Html =>
  html`<a href="${placesFor(season).matches({ game: season.game, season: season.slug, owner })}">matches of ${owner}</a>`

const pairItem =
  (season: Season, judged: number) =>
  ({ chance, deviations, expected_points, gainer, giver, matches, points }: PairOfOwners): Html =>
    html`<li>
<p>${owned(gainer)} had ${decimal(points)} points against ${owned(giver)} in ${counted(matches, "match", "matches")}, where their ratings expected ${decimal(expected_points)}: ${decimal(deviations)} standard deviations more. Where nobody helps anybody, ${share(chance)} of seasons have such a pair among ${count(judged)}.</p>
<p>To look at: ${matchesOf(season, gainer)}, ${matchesOf(season, giver)}.</p>
</li>
`

/** `62 %` */
const percent = (part: number): string => `${Math.round(part * PERCENT)} %`

const companionItem =
  (season: Season, judged: number) =>
  ({ chance, companion, deviations, expected_share, matches, owner, share: had }: Companion): Html =>
    html`<li>
<p>${owned(owner)} was better than ${percent(had)} of the other seats in ${counted(matches, "match", "matches")} beside ${owned(companion)}, where ${percent(expected_share)} were to be expected: ${decimal(Math.abs(deviations))} standard deviations ${deviations < 0 ? "fewer" : "more"}, as if the one ${deviations < 0 ? "hindered" : "helped"} the other. Where nobody does, ${share(chance)} of seasons have such a pair among ${count(judged)}.</p>
<p>To look at: ${matchesOf(season, owner)}, ${matchesOf(season, companion)}.</p>
</li>
`

const versionOf = (season: Season, { model, owner, version, version_id }: VersionOfOwner): Html =>
  html`<a href="${placesFor(season).version(version_id)}">${said(model)} version ${version}</a> of ${owned(owner)}`

const likenessItem =
  (season: Season) =>
  ({ earlier, later }: Likeness): Html =>
    html`<li>${versionOf(season, later)} has the same network as ${versionOf(season, earlier)}, which was submitted before it.</li>\n`

const listOf = (items: ReadonlyArray<Html>, none: string): Html =>
  items.length === 0 ? html`<p class="faint">${none}</p>` : html`<ul>\n${items}</ul>`

/** A model may have a style that another is weak against; people may begin with one published network. */
const caution = (season: Season): Html => {
  const to = (part: string) => seasonAdminAt(season.game, season.slug, part)
  return html`<h2>No proof of collusion</h2>
<p>Nothing is done by itself, and nobody is told. A line of these lists shows more agreement than chance allows; it does not say why. A model may have the very style that the other is weak against, and two people may have begun with the same published network. Honest pairs are listed too: in a season without any collusion one may stand here with a chance of up to 5 %.</p>
<p>Look at their matches first. Entries that lose on purpose do so in a few turns, against this one opponent, and play well against others. Then ask the owners. An administrator may <a href="${to("matches")}">void</a> a match or <a href="${to("entries")}">disqualify</a> an entry.</p>`
}

export const seasonCoincidences = seasonAdminPage({
  part: "coincidences",
  render: Effect.fnUntraced(function* ({ client, of, season }) {
    const found = yield* client.coincidence.coincidences({ params: of })
    const { companions, companions_judged, computed_at, matches, pairs, pairs_judged, same_weights, versions_compared } = found
    return html`<h2>Coincidences</h2>
<p>Owners whose results, and versions whose networks, agree more than chance allows: 20 of each at most. Only administrators see this page. As of ${time(computed_at)}; it is computed anew after five minutes.</p>
${caution(season)}
<h2>Pairs of owners</h2>
<p>In each match a better place is one point, and the same place half a point. ${counted(matches, "rated match was", "rated matches were")} looked at, and ${counted(pairs_judged, "pair")} judged, who met ten times or more. The least likely comes first.</p>
${listOf(pairs.map(pairItem(season, pairs_judged)), "No pair stands out.")}
<h2>Owners beside each other</h2>
<p>In matches of three seats and more one can help or hinder another against everybody else. An owner's results beside another are compared with those without. ${counted(companions_judged, "pair was", "pairs were")} judged, each owner by itself, who sat together ten times or more.</p>
${listOf(companions.map(companionItem(season, companions_judged)), "Nobody stands out.")}
<h2>The same network</h2>
<p>${counted(versions_compared, "version was", "versions were")} compared, byte for byte. Copies of the season's baselines are left out, since everybody has those.</p>
${listOf(same_weights.map(likenessItem(season)), "No two owners have the same network.")}`
  })
})
