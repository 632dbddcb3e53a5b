/** The series of a season: the order of every ladder at intervals, which grow with the season's age. */

import type { State } from "../State.ts"
import { bestFirst } from "./Podium.ts"

/** Rough number of points taken in a season; the read shows half as many. */
const POINTS = 96
const INTERVAL_MS_MIN = 60_000

/** When the next points are due; never while no rating has changed since the last. */
export const seriesDue = (state: State): number => {
  if (state.phase === "closed" || changesOf(state) === state.series_rated) return Infinity
  const age = state.series_at - state.settings.submissions_open_at
  return state.series_at + Math.max(INTERVAL_MS_MIN, Math.ceil(age / POINTS)) // whole: ids are made of the time
}

/** A void lowers `rated` by one, so with the factor 2 both a rated match and a void add one. */
const changesOf = ({ rated, voided }: State): number => rated + 2 * voided

/** Points taken again in the same millisecond, as at the close, replace the earlier ones. */
export const takeSeries = (state: State): void => {
  const { series } = state.writes
  series.splice(0, Infinity, ...series.filter(({ at }) => at < state.now))
  state.series_at = state.now
  state.series_rated = changesOf(state)
  for (const ladder of state.ladders) {
    const ratings = bestFirst(ladder)
    if (ratings.length === 0) continue
    const versions = ratings.map(({ version }) => version)
    const mus = ratings.map(({ mu }) => mu)
    series.push({ ladder: ladder.ladder, at: state.now, round: state.round, n: state.rated + state.voided, versions, mus })
  }
  state.writes.head = true
}
