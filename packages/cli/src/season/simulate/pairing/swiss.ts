/**
 * Swiss rounds: sorted by points, then rating; from the top, each player meets the
 * nearest of those it has met least.
 */
import { type Player, rounds, seated } from "./Pairing.ts"

export const swiss = rounds((players, seats) => {
  const free = [...seated(players, seats)].sort((a, b) => b.points - a.points || b.mu - a.mu || a.slot - b.slot)
  const matches: Array<ReadonlyArray<Player>> = []
  while (free.length >= seats) {
    const match = [free.shift()!]
    while (match.length < seats) match.push(free.splice(leastMet(match, free), 1)[0]!)
    matches.push(match)
  }
  return matches
})

const leastMet = (match: ReadonlyArray<Player>, free: ReadonlyArray<Player>): number => {
  let best = 0
  let fewest = Infinity
  for (let i = 0; i < free.length && fewest > 0; i++) {
    const met = match.reduce((sum, player) => sum + (player.met.get(free[i]!.slot) ?? 0), 0)
    if (met >= fewest) continue
    fewest = met
    best = i
  }
  return best
}
