/** Versions that want an administrator's attention: candidates and what they wait for, suspended entries, and those out of play. */
import type { Season } from "@agon/api/season/Season.ts"
import type { ListedState } from "@agon/api/version/admin.ts"
import type { AdministeredVersion } from "@agon/api/version/Version.ts"
import { type Html, html, said } from "../html/Html.ts"
import { owned, placesFor } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time, words } from "../html/words.ts"
import { button } from "../http/form/buttons.ts"
import { trialPlayed, waitingOf } from "../version/waiting.ts"
import { seasonForm } from "./forms.ts"

export const again = seasonForm("entries", {
  name: "again",
  fields: ["id"],
  send: ({ client, of, typed }) => client.versionAdmin.reinstateVersion({ params: { ...of, id: typed.one("id") } })
})

const named = ({ model, version }: AdministeredVersion): Html => html`${said(model)} version ${version}`

/** A candidate has no page that its season's administrators may see; an entry has one. */
const linked = (season: Season, version: AdministeredVersion): Html =>
  html`<a href="${placesFor(season).version(version.version_id)}">${named(version)}</a>`

const letIn = ({ state }: Season, { model, version, version_id }: AdministeredVersion): Html | false =>
  state !== "closed" && button(again, { id: version_id }, "Let it play again", `${model} version ${version}`)

const OWNER_OUT = "Its owner is out of the season: off its roster, or suspended."

/** Entries in contention are listed by their ranks (entries.ts). */
export type Listed = Exclude<ListedState, "entered">

interface List {
  readonly about: string
  readonly caption: string
  readonly headings: ReadonlyArray<string>
  readonly none: string
  readonly cells: (season: Season, version: AdministeredVersion) => Html
}

const LISTS: Readonly<Record<Listed, List>> = {
  testing: {
    about: "Each is examined by a runner, plays its trial and enters. A baseline enters out of play.",
    caption: "Candidates, the newest first",
    headings: ["Version", "Owner", "Submitted", "In", "Waits for"],
    none: "There is no candidate just now.",
    cells: (_, version) => html`<th scope="row">${named(version)}</th>
<td>${owned(version.owner)}</td>
<td><span class="unit">submitted </span>${time(version.created_at)}</td>
<td>${version.phase !== null && words(version.phase)}${version.trial !== null && html`, ${trialPlayed(version.trial)}`}</td>
<td class="own">${waitingOf(version)}${version.owner_removed && html`<p class="bad">${OWNER_OUT} It does not enter before they are back.</p>`}</td>`
  },
  suspended: {
    about:
      "An entry whose matches fail five times running through its own fault is suspended: it keeps its place and is not paired. Its owner and the season's administrators are told.",
    caption: "Suspended entries, the newest first",
    headings: ["Entry", "Owner", "Played last", "Again"],
    none: "None is suspended.",
    cells: (season, version) => html`<th scope="row">${linked(season, version)}</th>
<td>${owned(version.owner)}</td>
<td>${version.last_played_at !== null && html`<span class="unit">played last </span>${time(version.last_played_at)}`}</td>
<td>${letIn(season, version)}</td>`
  },
  disqualified: {
    about: "An entry is out of play by an administrator's decision, or because its owner may not take part any more, or by both.",
    caption: "Entries out of play, the newest first",
    headings: ["Entry", "Owner", "Why", "Again"],
    none: "None is out of play.",
    cells: (season, version) => html`<th scope="row">${linked(season, version)}</th>
<td>${owned(version.owner)}</td>
<td class="own">${version.disqualified && html`<p>Disqualified: ${said(version.reject_detail ?? "")}</p>`}${version.owner_removed && html`<p>${OWNER_OUT} It plays again when they are back.</p>`}</td>
<td>${version.disqualified && letIn(season, version)}</td>`
  }
}

/** `found`: the sentence for a search that finds nothing. */
export const standingTable = (season: Season, state: Listed, versions: ReadonlyArray<AdministeredVersion>, found?: string): Html => {
  const { about, caption, cells, headings, none } = LISTS[state]
  const rows = versions.map((version) => html`<tr>\n${cells(season, version)}\n</tr>\n`)
  return html`<p>${about}</p>\n${table(caption, headings, rows, found ?? none)}`
}
