/** The order of a ladder, and the podium that a season's close freezes. */

import type { LadderState } from "../Ladders.ts"
import { isFinals } from "../Round.ts"
import type { Ladder } from "../Rules.ts"
import type { State } from "../State.ts"
import type { LadderRating } from "./LadderRating.ts"

/** Active ratings, best first; ties by version id. */
export const bestFirst = (ladder: LadderState): ReadonlyArray<LadderRating> =>
  [...ladder.ratings.values()].filter((rating) => rating.active).sort((a, b) => b.mu - a.mu || (a.version < b.version ? -1 : 1))

const PODIUM = 3
/**
 * A baseline takes no place, and neither does an entry without a counted match on the ladder. In finals only
 * their matches count for this.
 */
export const podium = (state: State): Partial<Record<Ladder, ReadonlyArray<string>>> => {
  const finals = isFinals(state)
  return Object.fromEntries(
    state.ladders.map((ladder) => [
      ladder.ladder,
      bestFirst(ladder)
        .filter(({ matches, round_matches }) => (finals ? round_matches : matches) > 0)
        .filter(({ version }) => state.versions_by_id.get(version)!.owner !== null)
        .slice(0, PODIUM)
        .map((rating) => rating.version)
    ])
  )
}
