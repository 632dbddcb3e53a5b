/** A line over time as SVG: no script, no style of its own. Where a value is missing the line is interrupted. */
import { type Html, html } from "./Html.ts"
import { decimal } from "./words.ts"

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 200, 48, 20]

/** `title` says what the graph shows to who cannot see it; `from` and `to` name its ends. */
export const lineGraph = (title: string, values: ReadonlyArray<number | null>, from: string, to: string): Html | "" => {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return ""
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const x = (i: number) => Math.round(LEFT + (i / (values.length - 1)) * (WIDTH - LEFT - 8))
  const y = (value: number) => Math.round(8 + ((high - value) / Math.max(1e-9, high - low)) * (HEIGHT - BOTTOM - 16))
  const line = values
    .map((value, i) => (value === null ? "" : `${(values[i - 1] ?? null) === null ? "M" : "L"}${x(i)} ${y(value)}`))
    .join("")
  return html`<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: from ${decimal(known[0]!)} to ${decimal(known.at(-1)!)}, lowest ${decimal(low)}, highest ${decimal(high)}">
<line x1="${LEFT}" x2="${WIDTH}" y1="${y(high)}" y2="${y(high)}"/><line x1="${LEFT}" x2="${WIDTH}" y1="${y(low)}" y2="${y(low)}"/>
<text x="${LEFT - 4}" y="${y(high) + 4}" text-anchor="end">${decimal(high)}</text><text x="${LEFT - 4}" y="${y(low) + 4}" text-anchor="end">${decimal(low)}</text>
<text x="${LEFT}" y="${HEIGHT - 4}">${from}</text><text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">${to}</text>
<path d="${line}"/>
</svg>`
}
