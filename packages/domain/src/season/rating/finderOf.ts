/** Ratings wherever they are: in the state, written in this batch, or in the rows alone. */
import type { LadderState } from "../Ladders.ts"
import type { LeftRating } from "../Log.ts"
import type { State } from "../State.ts"
import { type LadderRating, ratingName } from "./LadderRating.ts"

/** Finds a rating that the state holds, that it let go of in this batch, or that only the rows have. */
export const finderOf = (state: State, left: ReadonlyArray<LeftRating>) => {
  const others = new Map<string, LadderRating>()
  for (const row of left) others.set(ratingName(row.ladder, row.version), { ...row, key: 0, busy: false })
  for (const rating of state.writes.ratings) others.set(ratingName(rating.ladder, rating.version), rating)
  return ({ ladder, ratings }: LadderState, version: string): LadderRating | undefined =>
    ratings.get(version) ?? others.get(ratingName(ladder, version))
}
