/** Changes of ratings: by a match, by a failed one, by the start of a round. */

import { MET_KEPT } from "../../pairing/PairingBatch.ts"
import { virtualGamesOfNth } from "../../pairing/VirtualGames.ts"
import { rated, START } from "../../rating/Rating.ts"
import type { LadderState } from "../Ladders.ts"
import type { State } from "../State.ts"
import type { LadderRating, RatingChange } from "./LadderRating.ts"
import { HISTORY_KEPT, remember, reset } from "./Resets.ts"
import { sigmasIn } from "./Starts.ts"

/**
 * An entry with this many consecutive forfeits is paired less, so that a broken model
 * does not cost the others' time.
 */
const FORFEITS_RUNNING = 3
const FORFEITER_GAMES = 4

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
