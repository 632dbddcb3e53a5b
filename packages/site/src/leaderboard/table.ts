/**
 * The rows of a ladder. They are many, so each is short: 50 of them are less than 3 kB compressed (table.test.ts says of which), a third
 * of it ids. Ends of rows and cells, which HTML makes optional, are left out, and columns of figures are aligned by their place, as are the
 * words beside them where a row is lines of text (table.css).
 */
import type { Entry, Leaderboard } from "@agon/api/leaderboard/api.ts"
import { type Html, html } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { count, counted, signedWhole } from "../html/words.ts"
import { half } from "./interval.ts"

interface Scale {
  readonly low: number
  readonly width: number
}

const scaleOf = (entries: ReadonlyArray<Entry>): Scale => {
  const low = Math.min(...entries.map((entry) => entry.rating - half(entry)))
  const high = Math.max(...entries.map((entry) => entry.rating + half(entry)))
  return { low, width: Math.max(1, high - low) }
}

/** The bar has the first 100 of the width, the course the last 45. */
const VIEW = "0 0 150 8"

/** From one end of the interval to the other, on the scale of the rows shown. */
const bar = (entry: Entry, { low, width }: Scale): string => {
  const on = (points: number) => Math.round((points / width) * 96)
  const reach = on(half(entry))
  return `M${on(entry.rating - low) - reach + 2} 4h${2 * reach}`
}

/** Six of the twelve ratings are enough to see a course; each is a step of 9 to the right. */
const COURSE_POINTS = 6
/** A course that moved less is drawn flatter than the room would allow. */
const COURSE_LEAST_SPAN = 20

/**
 * How the rating moved over the last matches, each row on a scale of its own, in whole steps relative to the point before. In one loop:
 * lists made on the way were a third of what drawing the page took.
 */
const course = ({ history }: Entry): string => {
  if (history.length < 2) return ""
  let [low, high] = [Infinity, -Infinity]
  for (const rating of history) {
    if (rating < low) low = rating
    if (rating > high) high = rating
  }
  const middle = (low + high) / 2
  const span = Math.max(COURSE_LEAST_SPAN, high - low)
  const points = Math.min(COURSE_POINTS, history.length)
  let steps = ""
  let before = 0
  for (let i = 0; i < points; i++) {
    const rating = history[Math.round((i * (history.length - 1)) / (points - 1))]!
    const y = Math.round(4 - ((rating - middle) / span) * 6)
    if (i === 0) steps = `M104 ${y}`
    else steps += y < before ? `l9${y - before}` : `l9 ${y - before}`
    before = y
  }
  return steps
}

/** Hidden from readers of the screen, to whom the figures beside it say the same. */
const drawing = (entry: Entry, scale: Scale): Html => {
  const path = course(entry)
  return html`<svg class="drawn" viewBox="${VIEW}" aria-hidden="true"><path d="${bar(entry, scale)}"/>${path !== "" && html`<path d="${path}"/>`}</svg>`
}

/**
 * Ranks as they are shown: `2=` where a neighbour has the same rating. Each is the entry's own, which the service gives by version where
 * ratings are equal: the first of them may be on another page.
 */
export const shownRanks = (entries: ReadonlyArray<Pick<Entry, "rank" | "rating">>): ReadonlyArray<string> =>
  entries.map(({ rank, rating }, i) => {
    const isEqual = entries[i - 1]?.rating === rating || entries[i + 1]?.rating === rating
    return `${rank}${isEqual ? "=" : ""}`
  })

const row = (
  at: Places,
  entry: Entry,
  rank: string,
  scale: Scale
): Html => html`<tr><td>${rank}<th scope="row">${link(at.model(entry.model_id), entry.model)} v${entry.version}<td>${Math.round(entry.rating)}${entry.provisional && "?"}<td>${Math.round(half(entry))}
<td>${entry.rank_low}–${entry.rank_high}<td>${owned(entry.owner)}<td>${entry.class}
<td>${count(entry.matches)}<td>${entry.trend !== null && signedWhole(entry.trend)}<td class=own>${drawing(entry, scale)}
`

/** The entries from `begin` to `end`; those around them only say whether a rating is equal. */
export const ladderTable = (
  at: Places,
  { entries, total }: Leaderboard,
  { begin, end }: { readonly begin: number; readonly end: number }
): Html => {
  const shown = entries.slice(begin, end)
  if (shown.length === 0) return html`<p class="faint">Nobody is on ${total === 0 ? "this ladder" : "this page"}.</p>`
  const ranks = shownRanks(entries)
  const scale = scaleOf(shown)
  return html`<div class="scroll" role="region" aria-label="Ladder" tabindex="0"><table class="ladder lines">
<caption>${counted(total, "model")}; “?” marks a provisional rating, “=” an equal rating</caption>
<thead><tr><th scope="col">Rank</th><th scope="col">Model</th><th scope="col">Rating</th><th scope="col">±</th><th scope="col">Range</th><th scope="col">Owner</th><th scope="col">Class</th><th scope="col">Matches</th><th scope="col">Trend</th><th scope="col">Interval, course</th></tr></thead>
<tbody>
${shown.map((entry, i) => row(at, entry, ranks[begin + i]!, scale))}</tbody>
</table></div>`
}
