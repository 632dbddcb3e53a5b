/** The top of a ladder against each other, from what is counted of the rivals of its models' versions. */
import type { Matrix } from "@agon/api/leaderboard/api.ts"
import { addTo, type Tallies, type Tally } from "../model/rivalCounts.ts"
import { shown } from "../rating/shown.ts"
import type { BestRow } from "./queries.ts"

export const againstEachOther = (
  best: ReadonlyArray<BestRow>,
  versions: ReadonlyArray<{ readonly id: string; readonly model_id: string }>,
  counted: ReadonlyMap<string, Tallies>
): Matrix["entries"] => {
  const ofModel = new Map(best.map(({ model_id }) => [model_id, new Map<string, Tally>()]))
  for (const { id, model_id } of versions) addTo(ofModel.get(model_id)!, counted.get(id)!)
  return best.map(({ mu, ...entry }, i) => ({
    ...entry,
    rank: i + 1,
    rating: shown(mu),
    against: best.map(({ model_id: other }) => {
      if (other === entry.model_id) return null
      const { draws, losses, wins } = ofModel.get(entry.model_id)!.get(other) ?? { wins: 0, draws: 0, losses: 0 }
      return { wins, draws, losses }
    })
  }))
}
