/**
 * KataGo's mix of rating games: a reference (a third of the time among the ten with the highest upper
 * confidence, a third among the ten least certain, a third among the ten with the fewest games, the first of
 * them likeliest), whose strength is sampled from its belief, and opponents drawn in proportion to the
 * variance of the game's result: the information it would give.
 */
import type { Random } from "@agon/domain/pairing/PairingBatch.ts"
import { normal } from "@agon/domain/rating/normal.ts"
import type { Pairing, Player } from "./Pairing.ts"

const CHOICE = 10
/** Each of the ten is less likely than the one before it by this factor. */
const LESS_LIKELY = 0.75
const S = 400 / Math.LN10

export const katago: Pairing = (players, seats, random) => () => {
  const way = random()
  const worth = way < 1 / 3 ? upperConfidence : way < 2 / 3 ? uncertainty : fewGames
  const reference = oneOfTop(players, worth, random)
  const strength = reference.mu + reference.sigma * normal(random)
  const match = [reference]
  while (match.length < seats) {
    const weights = players.map((player) => (match.includes(player) ? 0 : varianceOf(player.mu - strength)))
    match.push(weighted(players, weights, random))
  }
  return random() < 0.5 ? match : match.reverse()
}

const upperConfidence = (player: Player): number => player.mu + 2 * player.sigma
const uncertainty = (player: Player): number => player.sigma
const fewGames = (player: Player): number => -player.games

/** Variance of the result of a match at this rating difference. */
const varianceOf = (difference: number): number => {
  const p = 1 / (1 + Math.exp(-difference / S))
  return p * (1 - p)
}

const oneOfTop = (players: ReadonlyArray<Player>, worth: (player: Player) => number, random: Random): Player => {
  const lots = players.map((player) => ({ player, worth: worth(player), lot: random() }))
  const top = lots.sort((a, b) => b.worth - a.worth || a.lot - b.lot).slice(0, CHOICE)
  return weighted(
    top.map(({ player }) => player),
    top.map((_, i) => LESS_LIKELY ** i),
    random
  )
}

const weighted = <A>(list: ReadonlyArray<A>, weights: ReadonlyArray<number>, random: Random): A => {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0)
  const i = weights.findIndex((weight) => {
    left -= weight
    return left < 0
  })
  return list[i < 0 ? weights.findLastIndex((weight) => weight > 0) : i]!
}
