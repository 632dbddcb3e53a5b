/** The versions of a model: on its public page those that everybody may see, on others those that their reader may. */
import type { Version } from "@agon/api/version/Version.ts"
import { type Html, html, said } from "../html/Html.ts"
import { inPublic, type Places } from "../html/links.ts"
import { bytes, count, counted, time, words } from "../html/words.ts"
import type { SeasonNames } from "../http/seasonNames.ts"
import { plusMinus } from "../leaderboard/interval.ts"

const standings = ({ ratings }: Version): ReadonlyArray<Html> =>
  Object.entries(ratings).map(
    ([ladder, rated]) =>
      html`<li>${ladder}: <b>${Math.round(rated.rating)}</b> ${plusMinus(rated)}${rated.rank !== null && `, rank ${count(rated.rank)}`}, ${counted(rated.matches, "match", "matches")}</li>`
  )

/** Those of the parts that are known: a version has none before its review. */
const weight = ({ class: name, infer_us, param_count, size_bytes }: Version): Html =>
  html`${[
    name,
    ...(size_bytes === null ? [] : [bytes(size_bytes)]),
    ...(param_count === null ? [] : [counted(param_count, "parameter")]),
    ...(infer_us === null ? [] : [`${count(infer_us)} µs a move`])
  ].join(", ")}`

const row = (at: Places, seasonOf: SeasonNames, version: Version): Html => html`<tr id="v${version.version}">
<th scope="row" class="n"><span class="unit">Version </span>${version.version}</th>
<td><a href="${at.season(version.game, version.season)}">${said(seasonOf(version.game, version.season))}</a></td>
<td>${words(version.status)}${version.phase !== null && html`, ${words(version.phase)}`}${version.successor !== null && html` by v${version.successor}`}</td>
<td class="own">${Object.keys(version.ratings).length > 0 && html`<ul class="plain">${standings(version)}</ul>`}</td>
<td>${weight(version)}</td>
<td>${time(version.created_at)}</td>
<td class="own">${version.note !== null && said(version.note)}</td>
</tr>
`

export const versionTable = (at: Places, versions: ReadonlyArray<Version>, seasonOf: SeasonNames): Html =>
  versions.length === 0
    ? html`<p class="faint">${at === inPublic ? "No version of it is public." : "None has entered yet."}</p>`
    : html`<div class="scroll" role="region" aria-label="Versions" tabindex="0"><table class="versions lines">
<caption>${at === inPublic ? "Public versions" : "Versions"}, the newest first</caption>
<thead><tr><th scope="col">Version</th><th scope="col">Season</th><th scope="col">State</th><th scope="col">Ratings</th><th scope="col">Class and weight</th><th scope="col">Submitted</th><th scope="col">Note</th></tr></thead>
<tbody>
${versions.map((version) => row(at, seasonOf, version))}</tbody>
</table></div>`
