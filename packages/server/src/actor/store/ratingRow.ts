/**
 * A rating's row, read by the places of its columns: the driver's objects get one property after another, which makes a
 * hash table of each, and a season has up to 200,000.
 */
import type { LadderRatingRow } from "@agon/domain/season/rating/LadderRating.ts"

export const RATING_COLUMNS = `version_id, ord, ladder, active, round, matches, round_matches, made, mu, sigma,
  credit, failed, forfeits, seat_sum, trend, met, history`

/** Of RATING_COLUMNS, in their order. */
export const ratingOf = ([
  version,
  ord,
  ladder,
  active,
  round,
  matches,
  round_matches,
  ladder_games,
  mu,
  sigma,
  virtual_games,
  failed,
  forfeits,
  seat_sum,
  trend,
  met,
  history
]: ReadonlyArray<any>): LadderRatingRow => ({
  version,
  ord,
  ladder,
  active,
  round,
  matches,
  round_matches,
  ladder_games,
  virtual_games,
  failed,
  forfeits,
  mu,
  sigma,
  seat_sum,
  trend,
  met,
  history
})
