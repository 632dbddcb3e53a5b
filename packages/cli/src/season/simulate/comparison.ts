/** A published pairing under our rating: only the choice of opponents differs from ours. */
import { ranksOf } from "@agon/domain/match/Outcome.ts"
import { rated, START, takenOver } from "@agon/domain/rating/Rating.ts"
import { draw } from "@agon/domain/season/Random.ts"
import { type FieldOptions, sourceOf } from "./Field.ts"
import type { League } from "./League.ts"
import type { Pairing, Player } from "./pairing/Pairing.ts"

export const comparison = (pairing: Pairing, { entries, seats }: FieldOptions, seed: number): League => {
  const chance = sourceOf(seed, 12)
  const players = Array.from({ length: entries }, (_, slot): Player => ({ slot, ...START, games: 0, points: 0, last: 0, met: new Map() }))
  const next = pairing(players, seats, () => draw(chance))
  let match: ReadonlyArray<Player> = []
  let played = 0
  return {
    pair: () => {
      match = next()
      return match.map(({ slot }) => slot)
    },
    report: ({ crashed, scores }) => {
      played++
      const ranks = ranksOf(scores, crashed)
      const after = rated(match, ranks)
      match.forEach((player, i) => {
        const beaten = ranks.reduce((sum, rank, j) => sum + (j === i ? 0 : rank > ranks[i]! ? 1 : rank === ranks[i]! ? 0.5 : 0), 0)
        Object.assign(player, after[i], { games: player.games + 1, points: player.points + beaten / (seats - 1), last: played })
        for (const { slot } of match) if (slot !== player.slot) player.met.set(slot, (player.met.get(slot) ?? 0) + 1)
      })
    },
    renew: (slot) => Object.assign(players[slot]!, takenOver(players[slot]!)),
    rating: (slot) => players[slot]!
  }
}
