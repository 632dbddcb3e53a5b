/**
 * Published pairing methods, implemented again for comparison only: nothing that runs a season
 * imports them. Each sees more than it would in its own system (our rating, exact counts of meetings)
 * and is given one match at a time.
 */

import { type Random, shuffled } from "@agon/domain/pairing/PairingBatch.ts"
import type { Rating } from "@agon/domain/rating/Rating.ts"

export interface Player extends Rating {
  readonly slot: number
  games: number
  points: number // a win 1, a draw 1/2; with more seats the share of opponents beaten
  last: number // number of the last match it played; 0: none
  readonly met: Map<number, number> // meetings by slot
}

/** Returns a function that picks the players of the next match. The players' fields are current at every call. */
export type Pairing = (players: ReadonlyArray<Player>, seats: number, random: Random) => () => ReadonlyArray<Player>

/** A pairing that plans one round at a time; matches are played in the planned order. */
export const rounds =
  (plan: (players: ReadonlyArray<Player>, seats: number, random: Random) => ReadonlyArray<ReadonlyArray<Player>>): Pairing =>
  (players, seats, random) => {
    let round: ReadonlyArray<ReadonlyArray<Player>> = []
    let next = 0
    return () => {
      if (next === round.length) {
        round = plan(players, seats, random)
        next = 0
      }
      return round[next++]!
    }
  }

/** Consecutive groups; the remainder sits out. */
export const cut = <A>(list: ReadonlyArray<A>, seats: number): Array<ReadonlyArray<A>> =>
  Array.from({ length: Math.floor(list.length / seats) }, (_, i) => list.slice(i * seats, (i + 1) * seats))

/** All players in random order, except that those with the most games sit out. */
export const drawn = (players: ReadonlyArray<Player>, seats: number, random: Random): ReadonlyArray<Player> =>
  shuffled(seated(shuffled(players, random), seats), random)

/** As many players as fill whole matches, those with the fewest games first; the given order is kept. */
export const seated = (players: ReadonlyArray<Player>, seats: number): ReadonlyArray<Player> => {
  const spare = players.length % seats
  if (spare === 0) return players
  const out = new Set(players.toSorted((a, b) => a.games - b.games).slice(-spare))
  return players.filter((player) => !out.has(player))
}
