/**
 * The course of a ladder, as the series read shows it: ranks and ratings of the present
 * best at equally spaced moments.
 */
import type { Series } from "@agon/api/leaderboard/api.ts"
import { shown } from "../rating/shown.ts"
import type { BestRow, StoodRow } from "./queries.ts"

/** The contract's number (docs/contract.md#leaderboards). */
const POINTS = 48

/** Equally spaced moments, both ends included; none before the season has opened. */
export const pointsBetween = (from: string, to: string): ReadonlyArray<string> => {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  if (end < begin) return []
  return Array.from({ length: POINTS }, (_, i) => new Date(begin + Math.round(((end - begin) * i) / (POINTS - 1))).toISOString())
}

/** Null where an entry was not on the ladder yet. The last moment is the present, taken from the ladder itself. */
export const seriesOf = (
  points: ReadonlyArray<string>,
  best: ReadonlyArray<BestRow>,
  stood: ReadonlyArray<StoodRow>
): Series["entries"] => {
  const found = new Map(stood.map((row) => [`${row.version_id} ${row.point}`, row]))
  const last = points.length - 1
  return best.map(({ mu, ...row }, i) => {
    const at = points.map((_, n) => (n === last ? { rank: i + 1, mu } : found.get(`${row.version_id} ${n + 1}`)))
    return { ...row, ranks: at.map((one) => one?.rank ?? null), ratings: at.map((one) => (one === undefined ? null : shown(one.mu))) }
  })
}
