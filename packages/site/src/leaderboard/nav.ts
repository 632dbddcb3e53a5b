/** Links to the same page of every ladder. */
import { ladders } from "@agon/api/Wire.ts"
import { type Html, html } from "../html/Html.ts"
import type { Places } from "../html/links.ts"

export const ladderNav = (current: string, to: (ladder: string) => string, label = "Ladders"): Html => html`<nav aria-label="${label}"><ul>
${ladders.map((each) => html`<li><a href="${to(each)}"${each === current && html` aria-current="page"`}>${each}</a></li>\n`)}</ul></nav>`

const VIEWS = [
  ["ladder", "Standings"],
  ["matrix", "Against each other"],
  ["course", "Over time"]
] as const

/** Links to what else there is of a ladder. */
export const viewNav = (
  at: Places,
  [game, season, ladder]: readonly [game: string, season: string, ladder: string],
  current: (typeof VIEWS)[number][0]
): Html => html`<nav aria-label="Of this ladder"><ul>
${VIEWS.map(([view, name]) => html`<li><a href="${at[view](game, season, ladder)}"${view === current && html` aria-current="page"`}>${name}</a></li>\n`)}</ul></nav>`
