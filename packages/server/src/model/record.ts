/** A model's record in a season, from its rows (docs/contract.md#models). */

import type { ModelMap, ModelResult, ModelSeason } from "@agon/api/model/api.ts"
import type { Ladder } from "@agon/api/Wire.ts"
import { Option } from "effect"
import { twoDecimals } from "../rating/shown.ts"
import type { MapTally } from "./mapQueries.ts"
import type { ResultRow } from "./resultQueries.ts"

interface Place {
  readonly class: string | null
  readonly rank: number | null
}

/** How many of the newest results it lists. */
const LAST = 5

export const recordOf = (
  season: string,
  ladder: Ladder,
  standing: Option.Option<Place>,
  rank_week_ago: number | null,
  results: ReadonlyArray<ResultRow>
): ModelSeason => {
  const { class: held, rank } = Option.getOrElse(standing, (): Place => ({ class: null, rank: null }))
  const best = results.find((row) => row.best)
  const worst = results.find((row) => row.worst)
  return {
    season,
    class: held as Ladder | null,
    ladder,
    rank,
    rank_week_ago,
    best: best === undefined ? null : resultOf(best),
    worst: worst === undefined ? null : resultOf(worst),
    last: results.filter(({ nth }) => nth <= LAST).map(resultOf)
  }
}

/** Boards that it has played on, in the season's order. */
export const mapsOf = (
  boards: ReadonlyArray<{ readonly map_id: string; readonly players: number }>,
  tallies: Readonly<Record<string, MapTally>>
): ReadonlyArray<ModelMap> =>
  boards.flatMap(({ map_id, players }) => {
    if (!Object.hasOwn(tallies, map_id)) return []
    const [matches, ranks, scores, changes] = tallies[map_id]!
    const mean = (sum: number) => twoDecimals(sum / matches)
    return [{ map_id, players, matches, mean_rank: mean(ranks), mean_score: mean(scores), mean_rating_change: mean(changes) }]
  })

const resultOf = ({ alone, change, match, played_at, rank }: ResultRow): ModelResult => ({
  match,
  outcome: rank > 1 ? "loss" : alone ? "win" : "draw",
  rank,
  rating_change: twoDecimals(change),
  played_at
})
