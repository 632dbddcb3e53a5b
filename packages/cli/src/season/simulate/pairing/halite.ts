/**
 * Halite's window: a seed player (half the time drawn by its variance, a quarter of the time one of the
 * fifteen that have waited longest, otherwise the one that has waited longest) and opponents drawn from its
 * nearest in rating, of whom there are 5 / (0.01 + U)^0.65: mostly a few, sometimes everybody.
 */
import type { Random } from "@agon/domain/pairing/PairingBatch.ts"
import type { Pairing, Player } from "./Pairing.ts"

const WAITING = 15

export const halite: Pairing = (players, seats, random) => () => {
  const seed = seedPlayerOf(players, random)
  const window = Math.max(seats - 1, Math.floor(5 / (0.01 + random()) ** 0.65))
  const near = players
    .filter((player) => player !== seed)
    .sort((a, b) => Math.abs(a.mu - seed.mu) - Math.abs(b.mu - seed.mu))
    .slice(0, window)
  const match = [seed]
  while (match.length < seats) match.push(near.splice(Math.floor(random() * near.length), 1)[0]!)
  return match
}

const seedPlayerOf = (players: ReadonlyArray<Player>, random: Random): Player => {
  const way = random()
  if (way > 0.5) {
    const drawn = players.map((player) => ({ player, lot: random() * player.sigma ** 2 }))
    return drawn.reduce((most, each) => (each.lot > most.lot ? each : most)).player
  }
  const waiting = players.toSorted((a, b) => a.last - b.last).slice(0, WAITING)
  return way > 0.25 ? waiting[Math.floor(random() * waiting.length)]! : waiting[0]!
}
