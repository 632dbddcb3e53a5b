/** The search of a ladder: its form, and the entries that it finds, each with its place and the page of the ladder where that is. */
import type { Entry, Leaderboard } from "@agon/api/leaderboard/api.ts"
import { SearchTerm } from "@agon/api/Wire.ts"
import { Schema } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { link, owned, type Places, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, counted } from "../html/words.ts"
import { plusMinus } from "./interval.ts"

/** On a page of a ladder, and of what a search of it finds. */
export const ROWS = 50
const NAME_MAX = 100

/** Whether the API takes it. */
export const isSearchTerm = Schema.is(SearchTerm)

/** `refused`: whether what was typed is longer than a name. */
export const searchForm = (ladder: string, name: string | undefined, refused = false): Html =>
  html`<form class="filter" method="get" action="${ladder}" role="search" aria-label="This ladder"><label>Model or owner whose name begins with<input name="name" value="${name}" maxlength="${NAME_MAX}" autocomplete="off"${refused && html` aria-invalid="true" aria-describedby="refusal"`}></label>
<button>Search</button>
</form>
${name !== undefined && html`<p><a href="${ladder}">The whole ladder</a></p>\n`}`

export const tooLong: Html = html`<p role="alert" class="bad" id="refusal">A name has at most ${NAME_MAX} characters.</p>
`

/**
 * The page of the ladder with that place. The text in the fragment is its row, which browsers show and mark; ids of the rows would be a
 * twentieth of what a ladder's page weighs.
 */
const placeAt = (ladder: string, { model, rank, version }: Entry): string => {
  const before = rank - 1 - ((rank - 1) % ROWS)
  const text = encodeURIComponent(`${model.toWellFormed()} v${version}`).replaceAll("-", "%2D")
  return `${withQuery(ladder, { cursor: before === 0 ? undefined : before })}#:~:text=${text}`
}

const row = (at: Places, ladder: string, entry: Entry): Html => html`<tr>
<td class="n"><span class="unit">place </span><a href="${placeAt(ladder, entry)}" aria-label="Place ${count(entry.rank)}, on the ladder">${count(entry.rank)}</a></td>
<th scope="row">${link(at.model(entry.model_id), entry.model)} v${entry.version}</th>
<td class="n">${Math.round(entry.rating)}${entry.provisional && "?"} <small>${plusMinus(entry)}</small></td>
<td>${owned(entry.owner)}</td>
<td>${entry.class}</td>
<td class="n">${count(entry.matches)}<span class="unit"> ${entry.matches === 1 ? "match" : "matches"}</span></td>
</tr>
`

interface Search {
  readonly game: string
  readonly season: string
  readonly ladder: string
  readonly name: string
}

/** The entries that the search has found, or where else to look. The open ladder has every model of the season. */
export const foundIn = (at: Places, { game, ladder, name, season }: Search, { entries, total }: Leaderboard): Html => {
  if (total === 0)
    return html`<p role="status">No name on the ${ladder} ladder begins with “${said(name)}”, neither a model’s nor an owner’s.${
      ladder !== "open" &&
      html` <a href="${withQuery(at.ladder(game, season, "open"), { name })}">Search the open ladder, where every model is</a>.`
    }</p>`
  const rows = entries.map((entry) => row(at, at.ladder(game, season, ladder), entry))
  return table(
    `${counted(total, "entry", "entries")} found; the place leads to it on the ladder, and “?” marks a provisional rating`,
    ["Place", "Model", "Rating", "Owner", "Class", "Matches"],
    rows,
    `None of the ${counted(total, "entry", "entries")} found is on this page.`
  )
}
