/** Links to the same page of every ladder. */
import { ladders } from "@agon/api/Wire.ts"
import { type Html, html } from "../html/Html.ts"

export const ladderNav = (current: string, to: (ladder: string) => string, label = "Ladders"): Html => html`<nav aria-label="${label}"><ul>
${ladders.map((each) => html`<li><a href="${to(each)}"${each === current && html` aria-current="page"`}>${each}</a></li>\n`)}</ul></nav>`
