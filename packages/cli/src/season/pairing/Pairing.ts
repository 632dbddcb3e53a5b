/**
 * Published pairings, written anew for comparison only: nothing that runs a season imports them. Each sees more than it
 * would in its own system (our rating, exact counts of meetings) and is given one match at a time.
 */
import type { Rating } from "@agon/domain/rating/Rating.ts"
import { type Random, shuffled } from "@agon/domain/pairing/Wave.ts"

export interface Player extends Rating {
  readonly slot: number
  games: number
  points: number // a win 1, a draw 1/2; with many seats the share of opponents beaten
  last: number // number of the last match it played; 0: none
  readonly met: Map<number, number> // meetings by slot
}

/** Answers a function that names the players of the next match; the players' fields are current whenever it is called. */
export type Pairing = (players: ReadonlyArray<Player>, seats: number, random: Random) => () => ReadonlyArray<Player>

/** A pairing that plans a round at a time: matches are played in the order planned. */
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

/** Consecutive groups; what is left over sits out. */
export const cut = <A>(list: ReadonlyArray<A>, seats: number): Array<ReadonlyArray<A>> =>
  Array.from({ length: Math.floor(list.length / seats) }, (_, i) => list.slice(i * seats, (i + 1) * seats))

/** Everybody in random order, but those who would sit out are of those who have played most. */
export const drawn = (players: ReadonlyArray<Player>, seats: number, random: Random): ReadonlyArray<Player> =>
  shuffled(seated(shuffled(players, random), seats), random)

/** As many as fill matches, those who have played least; in the order given. */
export const seated = (players: ReadonlyArray<Player>, seats: number): ReadonlyArray<Player> => {
  const spare = players.length % seats
  if (spare === 0) return players
  const out = new Set(players.toSorted((a, b) => a.games - b.games).slice(-spare))
  return players.filter((player) => !out.has(player))
}
