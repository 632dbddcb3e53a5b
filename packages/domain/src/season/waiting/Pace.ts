/**
 * How fast a season has been working lately: its starts of matches, and how long matches and reviews
 * take. It is seen from the batches that the season commits and kept in memory alone; a season that is
 * read anew begins with nothing and knows its pace after a few matches. `observe` costs well under a
 * microsecond for each match that changed.
 */
import { QUEUES, queueIndex } from "../Rules.ts"
import type { State } from "../State.ts"

/** Starts are counted by the second, so that those of a fast season take no more memory than those of a slow one. */
const COUNTED_MS = 1_000
/**
 * Counts that are kept for each queue: the last 96 matches of a slow season, 96 seconds of a fast
 * one. Ladders that share runners take turns by pairing batches of 32 matches; a rate over fewer
 * would be that of one ladder's turn.
 */
export const COUNTS_KEPT = 96
/** After so many times the usual gap, what was counted before tells nothing. */
const PAUSE_GAPS = 12
const PAUSE_MS = 30_000
/** A silence counts as at most so many gaps: a ladder that owes nobody a match is not slow. */
const SILENCE_GAPS = 4
/** Weight of the newest duration in the mean. */
const NEWEST = 1 / 16

interface Count {
  readonly at: number
  n: number
}

export interface Pace {
  /** By queue, in the order of QUEUES. Oldest first. */
  readonly starts: ReadonlyArray<Array<Count>>
  /** When leased matches and reviews began; null if that was not seen. */
  readonly began: Map<string, number | null>
  match_ms: number | null
  review_ms: number | null
}

/** Work that is leased already began at a time that nobody has seen. */
export const begin = (state: State): Pace => {
  const pace: Pace = { starts: QUEUES.map(() => []), began: new Map(), match_ms: null, review_ms: null }
  for (const [id, { until }] of state.live) if (until !== null) pace.began.set(id, null)
  for (const [id, { until }] of state.reviews) if (until !== null) pace.began.set(id, null)
  return pace
}

/** After each batch, before its writes are forgotten. */
export const observe = (pace: Pace, { live, now, reviews, writes }: State): void => {
  for (const { id, turns } of writes.ended) {
    const began = pace.began.get(id) ?? null
    if (began !== null && turns !== null) pace.match_ms = mean(pace.match_ms, now - began)
  }
  for (const id of writes.live) {
    const match = live.get(id)
    if (match === undefined || match.until === null) pace.began.delete(id)
    else if (!pace.began.has(id)) {
      pace.began.set(id, now)
      counted(pace.starts[queueIndex(match.ladder)]!, now)
    }
  }
  for (const id of writes.reviews) {
    const review = reviews.get(id)
    const began = pace.began.get(id) ?? null
    if (review === undefined && began !== null) pace.review_ms = mean(pace.review_ms, now - began)
    if (review === undefined || review.until === null) pace.began.delete(id)
    else if (!pace.began.has(id)) pace.began.set(id, now)
  }
}

const mean = (before: number | null, newest: number): number => (before === null ? newest : before + NEWEST * (newest - before))

const counted = (counts: Array<Count>, now: number): void => {
  const last = counts.at(-1)
  if (last !== undefined && now - last.at < COUNTED_MS) {
    last.n++
    return
  }
  if (last !== undefined && isPause(counts, now - last.at)) counts.length = 0
  if (counts.length === COUNTS_KEPT) counts.shift()
  counts.push({ at: now, n: 1 })
}

const gap = (counts: ReadonlyArray<Count>): number => (counts.at(-1)!.at - counts[0]!.at) / (counts.length - 1)

const isPause = (counts: ReadonlyArray<Count>, silent_ms: number): boolean =>
  silent_ms > PAUSE_MS && counts.length > 1 && silent_ms > PAUSE_GAPS * gap(counts)

/** Starts per ms; null while too few were seen. */
export const rateOf = (counts: ReadonlyArray<Count>, now: number): number | null => {
  if (counts.length < 3) return null
  const starts = counts.reduce((sum, { n }) => sum + n, 0) - counts[0]!.n
  const last = counts.at(-1)!.at
  return starts / (last - counts[0]!.at + Math.min(now - last, SILENCE_GAPS * gap(counts)))
}

/** How many matches of every kind the runners of this season begin per ms. */
export const allStarts = (pace: Pace, now: number): number | null => {
  const rates = pace.starts.map((counts) => rateOf(counts, now)).filter((rate) => rate !== null)
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0)
}
