/**
 * The rows of a ladder. They are many, so each is short: 50 of them are less than 3 kB compressed, a third of it ids. Ends of
 * rows and cells, which HTML makes optional, are left out, and columns of figures are aligned by their place (site.css).
 */
import type { Entry, Leaderboard } from "@agon/api/leaderboard/api.ts"
import { type Html, html } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { count, signed } from "../html/words.ts"

/** A normal deviate lies within so many deviations of its mean with a probability of 95 %. */
const DEVIATIONS_95 = 1.96

interface Scale {
  readonly low: number
  readonly width: number
}

const half = ({ deviation }: Entry) => DEVIATIONS_95 * deviation

const scaleOf = (entries: ReadonlyArray<Entry>): Scale => {
  const low = Math.min(...entries.map((entry) => entry.rating - half(entry)))
  const high = Math.max(...entries.map((entry) => entry.rating + half(entry)))
  return { low, width: Math.max(1, high - low) }
}

/** The rating within its interval, on the scale of the rows shown, with the rating in the middle of the drawing. The figures stand beside it. */
const bar = (entry: Entry, { low, width }: Scale): Html => {
  const on = (points: number) => Math.round((points / width) * 90)
  return html`<svg class="bar" viewBox="-${on(entry.rating - low) + 5} 0 100 8" aria-hidden="true"><rect width="${on(2 * half(entry))}"/><circle/></svg>`
}

/** Ranks as they are shown: `2=` for models whose ratings are equal. */
export const shownRanks = (entries: ReadonlyArray<Pick<Entry, "rank" | "rating">>): ReadonlyArray<string> => {
  const firsts: Array<number> = []
  for (const [i, { rank, rating }] of entries.entries()) firsts.push(entries[i - 1]?.rating === rating ? firsts[i - 1]! : rank)
  return entries.map(({ rating }, i) => {
    const isShared = entries[i - 1]?.rating === rating || entries[i + 1]?.rating === rating
    return `${firsts[i]}${isShared ? "=" : ""}`
  })
}

const row = (at: Places, entry: Entry, rank: string, scale: Scale): Html => html`<tr><td>${rank}<td>${entry.rank_low}–${entry.rank_high}
<th scope="row">${link(at.model(entry.model_id), entry.model)} v${entry.version}<td>${owned(entry.owner)}<td>${entry.class}
<td>${Math.round(entry.rating)}${entry.provisional && "?"}<td>${Math.round(half(entry))}<td>${bar(entry, scale)}
<td>${count(entry.matches)}<td>${entry.trend !== null && signed(entry.trend)}
`

/** The entries from `begin` to `end`; those around them only say whether a rank is shared. */
export const ladderTable = (
  at: Places,
  { entries, total }: Leaderboard,
  { begin, end }: { readonly begin: number; readonly end: number }
): Html => {
  const shown = entries.slice(begin, end)
  if (shown.length === 0) return html`<p class="faint">Nobody is on ${total === 0 ? "this ladder yet" : "this page"}.</p>`
  const ranks = shownRanks(entries)
  const scale = scaleOf(shown)
  return html`<div class="scroll" role="region" aria-label="Ladder" tabindex="0"><table class="ladder">
<caption>${count(total)} models. The true rank lies within its range, and the rating within its ±, with a probability of 95 %; “?” marks a provisional rating, “=” a shared rank.</caption>
<thead><tr><th scope="col">Rank</th><th scope="col">Range</th><th scope="col">Model</th><th scope="col">Owner</th><th scope="col">Class</th><th scope="col">Rating</th><th scope="col">±</th><th scope="col"><span class="faint">drawn</span></th><th scope="col">Matches</th><th scope="col">Trend</th></tr></thead>
<tbody>
${shown.map((entry, i) => row(at, entry, ranks[begin + i]!, scale))}</tbody>
</table></div>`
}
