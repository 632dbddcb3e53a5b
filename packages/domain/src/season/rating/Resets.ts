/**
 * A round begins with every rating back at its start. The state changes at once. A row is rewritten when its
 * turn comes; until then it names its round, and a row in play of an earlier round is read as reset.
 */
import { type Rating, START } from "../../rating/Rating.ts"
import type { Round } from "../Round.ts"

export interface Resettable extends Rating {
  active: boolean
  round: number
  round_matches: number
  virtual_games: number
  failed: number
  forfeits: number
  trend: number | null
  met: Array<number>
  readonly history: Array<number>
}

export const HISTORY_KEPT = 12

/**
 * Keeps the last `length` items, newest last. In place: a list that is pushed to takes three
 * times the memory from then on.
 */
export const remember = <A>(list: Array<A>, newest: A, length: number): void => {
  if (list.length < length) return void list.push(newest)
  for (let i = 1; i < length; i++) list[i - 1] = list[i]!
  list[length - 1] = newest
}

/** `start`: the deviation of a newcomer on this ladder in the round. */
export const reset = (rating: Resettable, round: number, start: number): void => {
  rating.round = round
  rating.mu = START.mu
  rating.sigma = start
  rating.round_matches = 0
  rating.virtual_games = 0
  rating.failed = 0
  rating.forfeits = 0
  rating.trend = null
  if (rating.met.length > 0) rating.met = []
  remember(rating.history, START.mu, HISTORY_KEPT)
}

/**
 * Applies to a row in play the resets up to the current round; true if there was one. Rows out
 * of play are left as they are.
 */
export const followed = (rating: Resettable, rounds: ReadonlyArray<Round>, round: number, start: number): boolean => {
  if (!rating.active || rating.round >= round) return false
  for (let i = resetsBetween(rounds, rating.round, round); i > 0; i--) reset(rating, round, start)
  return true
}

/** How many times ratings were reset after round `after` had started, up to and including round `upTo`. */
export const resetsBetween = (rounds: ReadonlyArray<Round>, after: number, upTo: number): number =>
  rounds.filter(({ n, started_at }) => started_at !== null && n > after && n <= upTo).length
