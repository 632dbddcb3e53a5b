/**
 * Where an entry stands that comes back into play: a suspended or disqualified one, that of an account that is let in again, a baseline.
 * In continuous play it makes up for nothing. In a round it is owed what it was owed, and stands where it stood; failed matches do not
 * set it back behind those who are next, and it makes up for nothing that others have played beyond their games, by idle fill.
 */
import type { LadderState } from "./Ladders.ts"
import type { LadderRating } from "./rating/LadderRating.ts"
import { turnsOf } from "./TurnOrder.ts"

interface Turns {
  readonly clock: ReadonlyArray<number> // by ladder: the turns of those who are next
  readonly round: number
}

export const comeBack = ({ clock, round }: Turns, { index, owed }: Pick<LadderState, "index" | "owed">, rating: LadderRating): void => {
  const next = clock[index]!
  if (round === 0) {
    rating.virtual_games = Math.max(rating.virtual_games, next)
    rating.failed = 0
    return
  }
  const games_owed = Math.max(0, owed - rating.virtual_games)
  const turns = Math.max(next - games_owed, Math.min(turnsOf(rating), next))
  rating.failed = Math.max(0, turns - rating.virtual_games)
}
