/**
 * Whether finals still owe matches. The finals end the season for good, so what can be undone does not complete them:
 *
 *   an entry is owed games, and can be paired            owed
 *   no board is in play                                  owed
 *   nobody can be paired any more, but could be when     owed, as long as entries or boards that are out of play
 *   the finals began                                     could change that
 *   nobody could be paired when the finals began         not owed: one entry alone in its class, or one owner
 */
import { entryOf } from "../entry/Versions.ts"
import type { LadderState } from "../Ladders.ts"
import type { LadderRating } from "../rating/LadderRating.ts"
import type { State } from "../State.ts"
import { ownerOf } from "../Version.ts"
import { fewestPlayers } from "./fewestPlayers.ts"
import type { Board } from "./Match.ts"

/** Whether a ladder still owes an entry a match that could be played, now or once an administrator has acted. */
export const owesMatches = (state: State, ladder: LadderState): boolean => {
  if (ladder.queue.length > 0 || ladder.playing > 0) return true
  if ((ladder.heap[0]?.virtual_games ?? Infinity) >= ladder.owed) return false
  if (fewestPlayers(state, isInPlay) === Infinity || canPair(state, ladder)) return true
  return state.expected.includes(ladder.index) && couldPair(state, ladder)
}

/**
 * The ladders on which entries can be paired as the finals begin. With no board in play any board of the season may
 * come on first.
 */
export const expectedLadders = (state: State): ReadonlyArray<number> => {
  const hasBoard = fewestPlayers(state, isInPlay) < Infinity
  return state.ladders.filter((ladder) => canPair(state, ladder) || (!hasBoard && couldPair(state, ladder))).map(({ index }) => index)
}

const isInPlay = ({ enabled }: Board): boolean => enabled

const canPair = (state: State, ladder: LadderState): boolean =>
  fewestPlayers(state, isInPlay) <= ladder.active && isOfSeveralOwners(state, ladder, isPaired)

/**
 * With every board in play, and every entry that an administrator took out: a baseline that was switched off in the finals cannot
 * come back, and an entry that is suspended since its matches fail holds nobody up. Of a model one version plays at a time.
 */
const couldPair = (state: State, ladder: LadderState): boolean => {
  const couldPlay = (rating: LadderRating) => isPaired(rating) || couldReturn(state, rating.version)
  const models = new Set<string | undefined>()
  for (const rating of ladder.ratings.values()) if (couldPlay(rating)) models.add(state.versions_by_id.get(rating.version)?.model)
  return fewestPlayers(state, () => true) <= models.size && isOfSeveralOwners(state, ladder, couldPlay)
}

/** A disqualified version that is reinstated plays, or is superseded where a newer one of its model is entered (entry/Exclusion.ts). */
const couldReturn = (state: State, id: string): boolean => {
  const version = state.versions_by_id.get(id)
  if (version?.status !== "disqualified") return false
  const entry = entryOf(state, version)
  return entry === undefined || entry.ord < version.ord
}

const isPaired = ({ active, suspended }: LadderRating): boolean => active && !suspended

const isOfSeveralOwners = (state: State, { ratings }: LadderState, among: (rating: LadderRating) => boolean): boolean => {
  let first: string | undefined
  for (const rating of ratings.values()) {
    if (!among(rating)) continue
    const owner = ownerOf(state, rating.version)
    if (first !== undefined && owner !== first) return true
    first ??= owner
  }
  return false
}
