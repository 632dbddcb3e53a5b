/** Lines over time as SVG: no script, no style of its own. Where a value is missing the line is interrupted. */
import { type Html, html } from "./Html.ts"
import { decimal } from "./words.ts"

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 200, 48, 20]

export interface Line {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
}

const known = (values: ReadonlyArray<number | null>): ReadonlyArray<number> => values.filter((value) => value !== null)

/** The text alternative of the graph: the course of a single line, or the last value of each of several. */
const inWords = (title: string, lines: ReadonlyArray<Line>): string => {
  if (lines.length > 1)
    return `${title}: ${lines.map(({ name, values }) => `${name} ${decimal(known(values).at(-1)!)}`).join(", ")} at the end`
  const values = known(lines[0]!.values)
  return `${title}: from ${decimal(values[0]!)} to ${decimal(values.at(-1)!)}, lowest ${decimal(Math.min(...values))}, highest ${decimal(Math.max(...values))}`
}

/**
 * `title` says what the graph shows to those who cannot see it; `from` and `to` name its ends. Lines differ by colour and by their dashes.
 * Nothing where no line has two values: a single one would be a line without length.
 */
export const linesGraph = (title: string, lines: ReadonlyArray<Line>, from: string, to: string): Html | "" => {
  const drawn = lines.filter(({ values }) => known(values).length > 0)
  if (!drawn.some(({ values }) => known(values).length > 1)) return ""
  const all = drawn.flatMap(({ values }) => known(values))
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const x = (i: number, points: number) => Math.round(LEFT + (i / Math.max(1, points - 1)) * (WIDTH - LEFT - 8))
  const y = (value: number) => Math.round(8 + ((high - value) / Math.max(1e-9, high - low)) * (HEIGHT - BOTTOM - 16))
  const path = (values: Line["values"]) =>
    values
      .map((value, i) => (value === null ? "" : `${(values[i - 1] ?? null) === null ? "M" : "L"}${x(i, values.length)} ${y(value)}`))
      .join("")
  return html`<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${inWords(title, drawn)}">
<line x1="${LEFT}" x2="${WIDTH}" y1="${y(high)}" y2="${y(high)}"/><line x1="${LEFT}" x2="${WIDTH}" y1="${y(low)}" y2="${y(low)}"/>
<text x="${LEFT - 4}" y="${y(high) + 4}" text-anchor="end">${decimal(high)}</text><text x="${LEFT - 4}" y="${y(low) + 4}" text-anchor="end">${decimal(low)}</text>
<text x="${LEFT}" y="${HEIGHT - 4}">${from}</text><text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">${to}</text>
${lines.map(({ values }, i) => html`<path class="l${i}" d="${path(values)}"/>`)}
</svg>`
}
