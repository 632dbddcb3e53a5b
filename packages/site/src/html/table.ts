import { type Html, html } from "./Html.ts"

/**
 * A table whose rows are lines of text where there is little room; the sentence `none` where there is no row. Its headings are not seen
 * then: a cell that does not explain itself says its word in a `unit`. A cell of class `own`, and one with buttons, has lines of its own.
 */
export const table = (caption: string, headings: ReadonlyArray<string>, rows: ReadonlyArray<Html>, none: string): Html =>
  rows.length === 0
    ? html`<p class="faint">${none}</p>`
    : html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="lines">
<caption>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
