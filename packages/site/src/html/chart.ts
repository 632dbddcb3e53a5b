/** A chart over time: a picture, the names of its lines, a table of its figures, and an element around them that a script may draw anew. */
import { type Line, linesGraph } from "./graph.ts"
import { type Html, html, said } from "./Html.ts"
import { decimal, time } from "./words.ts"

export interface Course {
  readonly title: string
  readonly points: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line>
  /** The interval that a line's last value lies in. */
  readonly interval?: { readonly low: number; readonly high: number }
}

const swatch = (i: number): Html => html`<svg class="swatch" viewBox="0 0 40 8" aria-hidden="true"><path class="l${i}" d="M0 4H40"/></svg>`

const figures = ({ lines, points, title }: Course): Html => html`<details><summary>Figures</summary>
<div class="scroll" role="region" aria-label="Figures: ${title}" tabindex="0"><table>
<caption>${title}</caption>
<thead><tr><th scope="col">When</th>${lines.map(({ name }) => html`<th scope="col" data-line>${said(name)}</th>`)}</tr></thead>
<tbody>
${points.map((point, i) => html`<tr><th scope="row">${time(point)}</th>${lines.map(({ values }) => html`<td class="n">${values[i] == null ? "" : decimal(values[i])}</td>`)}</tr>\n`)}</tbody>
</table></div></details>`

/** Nothing where no line has a value at two moments. */
export const chart = (course: Course): Html | "" => {
  const { interval, lines, points, title } = course
  const graph = linesGraph(title, lines, points[0]?.slice(0, 10) ?? "", points.at(-1)?.slice(0, 10) ?? "")
  if (graph === "") return ""
  return html`<agon-chart${interval !== undefined && html` low="${interval.low}" high="${interval.high}"`}>${graph}
${lines.length > 1 && html`<ul class="legend">${lines.map(({ name }, i) => html`<li>${swatch(i)} ${said(name)}</li>`)}</ul>\n`}${
  interval !== undefined &&
  html`<p class="faint">The rating lies from ${decimal(interval.low)} to ${decimal(interval.high)} now, with a probability of 95 %.</p>\n`
}${figures(course)}
</agon-chart>`
}
