/** Who stands on the ladders: versions join and leave them, are paused and let go. */

import { remove } from "../../pairing/Heap.ts"
import { initialRating, takenOver } from "../../rating/Rating.ts"
import { addRating, free, type LadderState, ladderNamed, laddersOf } from "../Ladders.ts"
import { comeBack } from "../Returning.ts"
import type { Ladder } from "../Rules.ts"
import type { State } from "../State.ts"
import { turnsOf } from "../TurnOrder.ts"
import type { Version } from "../Version.ts"
import { countLeft, uncount } from "../VersionCounts.ts"
import type { InheritedRating, LadderRating } from "./LadderRating.ts"
import { startIn } from "./Starts.ts"

/** Puts a version on its ladders; `before` is the version of its model whose rating it takes over. */
export const joinLadders = (state: State, version: Version, before: Version | undefined): void => {
  for (const ladder of laddersOf(state, version)) {
    const known = ladder.ratings.get(version.id) // a baseline that was in play earlier
    const old = before === undefined ? undefined : ladder.ratings.get(before.id)
    const virtual_games = state.round > 0 ? 0 : state.clock[ladder.index]!
    if (known !== undefined) {
      known.active = true
      comeBack(state, ladder, known)
      ladder.active++
      ladder.ranks.add(known.mu)
      if (!known.busy) free(ladder, known)
    } else {
      const rating = { ...newRating(state, version, ladder.ladder, virtual_games, old), failed: turnsAtEntry(state, ladder, before) }
      addRating(ladder, rating)
      if (old !== undefined) state.writes.seeds.push(inheritedRating(state, rating, old))
      free(ladder, ladder.ratings.get(version.id)!)
    }
    state.writes.ratings.add(ladder.ratings.get(version.id)!)
  }
  if (before !== undefined) leaveLadders(state, before)
  state.active++
  state.workAppeared = true
}

/**
 * The turns at which a version comes in on a ladder during a round, beside the games that it is owed. Whoever is behind is paired first:
 *
 * - A version that replaces another stands where that one stood, or whoever sends one every few minutes would be in most matches. On the
 *   ladder of another class it has the turns of its predecessor on open.
 * - Nobody makes up for what others have played beyond their games, by idle fill.
 */
export const turnsAtEntry = ({ clock, ladders, round }: State, { index, owed, ratings }: LadderState, before?: Version): number => {
  if (round === 0) return 0
  const old = before && (ratings.get(before.id) ?? ladderNamed({ ladders }, "open").ratings.get(before.id))
  return Math.max(0, clock[index]! - owed, old === undefined ? 0 : turnsOf(old))
}

const newRating = (
  { round, starts }: State,
  version: Version,
  ladder: Ladder,
  virtual_games: number,
  old: LadderRating | undefined
): LadderRating => {
  const start = startIn(starts, round, ladder)
  const rating = old === undefined ? initialRating(start) : takenOver(old, start)
  return {
    version: version.id,
    ord: version.ord,
    ladder,
    active: true,
    round,
    ...rating,
    matches: 0,
    round_matches: 0,
    ladder_games: 0,
    virtual_games,
    failed: 0,
    forfeits: 0,
    seat_sum: 0,
    trend: null,
    met: [],
    history: [rating.mu],
    key: 0,
    busy: false,
    suspended: false
  }
}

/** An inherited rating depends on the matches before it, so a re-rating computes it again. */
const inheritedRating = (state: State, { ladder, mu, ord, sigma, version }: LadderRating, old: LadderRating): InheritedRating => ({
  ...{ ladder, version, ord, mu, sigma, of: old.version },
  round: state.round,
  n: state.rated + state.voided
})

export const leaveLadders = (state: State, version: Version): void => {
  for (const ladder of laddersOf(state, version)) {
    const rating = ladder.ratings.get(version.id)
    if (rating === undefined || !rating.active) continue
    rating.active = false
    if (!rating.suspended) ladder.active--
    rating.suspended = false
    ladder.ranks.remove(rating.mu)
    remove(ladder.heap, rating)
    state.writes.ratings.add(rating)
  }
  state.active--
}

/** A suspended entry keeps its place on its ladders and is not paired. */
export const pauseRatings = (state: State, version: Version): void => {
  for (const ladder of laddersOf(state, version)) {
    const rating = ladder.ratings.get(version.id)
    if (rating === undefined || !rating.active || rating.suspended) continue
    rating.suspended = true
    ladder.active--
    remove(ladder.heap, rating)
  }
}

/** It is paired again. */
export const resumeRatings = (state: State, version: Version): void => {
  for (const ladder of laddersOf(state, version)) {
    const rating = ladder.ratings.get(version.id)
    if (rating === undefined || !rating.suspended) continue
    rating.suspended = false
    comeBack(state, ladder, rating)
    ladder.active++
    if (!rating.busy) free(ladder, rating)
    state.writes.ratings.add(rating)
  }
  state.workAppeared = true
}

/**
 * Drops a superseded version from the state, once no open match seats it. Its ratings are written with this
 * commit, changed or not: a later command of the batch that voids a match or installs a fold finds them there
 * (`finderOf`), since the rows that it was given leave out what the state held before the batch.
 */
export const letGo = (state: State, version: Version): void => {
  const { id } = version
  for (const match of state.live.values()) if (match.versions.includes(id)) return
  for (const { ratings } of state.ladders) {
    const rating = ratings.get(id)
    if (rating === undefined) continue
    state.writes.ratings.add(rating)
    ratings.delete(id)
  }
  uncount(state, version)
  countLeft(state, version)
  state.versions_by_id.delete(id)
  state.writes.left.set(id, version)
}
