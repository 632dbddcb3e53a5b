import { type Html, html } from "./Html.ts"

/** A table that scrolls in a region of its own where it is wide; the sentence `none` where there is no row. */
export const table = (caption: string, headings: ReadonlyArray<string>, rows: ReadonlyArray<Html>, none: string): Html =>
  rows.length === 0
    ? html`<p class="faint">${none}</p>`
    : html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
