/** Ratings on ladders: joining, leaving, changes by a match, resets by a round. */

import { remove } from "../../pairing/Heap.ts"
import { MET_KEPT } from "../../pairing/PairingBatch.ts"
import { virtualGamesOfNth } from "../../pairing/VirtualGames.ts"
import { initialRating, rated, START, takenOver } from "../../rating/Rating.ts"
import { addRating, free, type LadderState, ladderNamed, laddersOf } from "../Ladders.ts"
import { comeBack } from "../Returning.ts"
import { isFinals } from "../Round.ts"
import type { Ladder } from "../Rules.ts"
import type { State } from "../State.ts"
import { turnsOf } from "../TurnOrder.ts"
import type { Version } from "../Version.ts"
import { countLeft, uncount } from "../VersionCounts.ts"
import type { InheritedRating, LadderRating, RatingChange } from "./LadderRating.ts"
import { HISTORY_KEPT, remember, reset } from "./Resets.ts"
import { sigmasIn, startIn } from "./Starts.ts"

/**
 * An entry with this many consecutive forfeits is paired less, so that a broken model
 * does not cost the others' time.
 */
const FORFEITS_RUNNING = 3
const FORFEITER_GAMES = 4

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

/** A match as one ladder rates it, by seat. */
interface Played {
  readonly seats: ReadonlyArray<LadderRating>
  readonly ranks: ReadonlyArray<number>
  readonly forfeits: ReadonlyArray<boolean>
  /** Whether it was made for this ladder, so that pairing counts it. */
  readonly isMade: boolean
}

/** Updates the ratings for one match on one ladder. */
export const rateOn = (state: State, ladder: LadderState, { forfeits, isMade, ranks, seats }: Played): ReadonlyArray<RatingChange> => {
  const ords = seats.map((rating) => rating.ord)
  for (const { active, mu } of seats) if (active) ladder.ranks.remove(mu)
  const moved = rateSeats(seats, ranks)
  seats.forEach((rating, i) => {
    if (rating.active) ladder.ranks.add(rating.mu)
    rating.matches++
    rating.round_matches++
    remember(rating.history, rating.mu, HISTORY_KEPT)
    if (isMade) {
      rating.forfeits = forfeits[i] ? rating.forfeits + 1 : 0
      rating.ladder_games++
      rating.virtual_games += virtualGamesOf(state, rating)
      rating.seat_sum += i / (seats.length - 1) - 0.5
      for (const ord of ords) if (ord !== rating.ord) remember(rating.met, ord, MET_KEPT)
    }
    state.writes.ratings.add(rating)
  })
  return moved
}

/**
 * Rates a match, both when it is played and when the log is folded: the seats' means,
 * deviations and trends after it.
 */
export const rateSeats = (
  seats: ReadonlyArray<Pick<LadderRating, "mu" | "sigma" | "trend">>,
  ranks: ReadonlyArray<number>
): ReadonlyArray<RatingChange> => {
  const after = rated(seats, ranks)
  return seats.map((seat, i) => {
    const { mu, sigma } = after[i]!
    const change = mu - seat.mu
    seat.mu = mu
    seat.sigma = sigma
    seat.trend = change
    return { mu, sigma, change }
  })
}

/**
 * A failed match counts as a turn of the entries that may have caused it: it moves them back in the
 * queue but changes no rating. If the others were charged too, entries that sit in every failed match
 * would keep coming before them.
 */
export const chargeFailed = (state: State, ladder: LadderState, versions: ReadonlyArray<string>): void => {
  for (const id of versions) {
    const rating = ladder.ratings.get(id)
    if (rating === undefined) continue
    rating.failed += virtualGamesOf(state, { forfeits: rating.forfeits, ladder_games: rating.ladder_games + 1 })
    state.writes.ratings.add(rating)
  }
}

/** In a round every match counts one, so that entries that are behind are always served first. */
export const virtualGamesOf = (state: State, { forfeits, ladder_games }: Pick<LadderRating, "forfeits" | "ladder_games">): number => {
  if (state.round > 0) return 1
  if (forfeits >= FORFEITS_RUNNING) return FORFEITER_GAMES
  return virtualGamesOfNth(ladder_games)
}

/**
 * A round starts: every rating returns to its start. Rows in play need not be written at once, since a row of
 * an earlier round is read as reset. The other rows are few.
 */
export const resetRatings = (state: State): void => {
  const sigmas = sigmasIn(state.starts, state.round)
  for (const ladder of state.ladders) {
    ladder.ranks.reset(START.mu)
    for (const rating of ladder.ratings.values()) {
      reset(rating, state.round, sigmas[ladder.index]!)
      if (rating.active) state.unwritten.add(rating)
      else state.writes.ratings.add(rating)
    }
    state.clock[ladder.index] = 0
    state.passed[ladder.index] = 0
  }
  state.reached = 0
}

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
