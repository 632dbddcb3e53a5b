/**
 * Divisions, as bot ladders such as AI Arena's run them: about ten neighbours in rating meet each other once, then
 * everybody is divided anew. With more than two seats, each division plays nine random partitions of itself.
 */
import { shuffled } from "@agon/domain/pairing/PairingBatch.ts"
import { cut, drawn, type Player, rounds } from "./Pairing.ts"

const SIZE = 10

export const division = rounds((players, seats, random) => {
  const size = seats * Math.ceil(SIZE / seats)
  const order = shuffled(players, random).sort((a, b) => b.mu - a.mu)
  const count = Math.max(1, Math.floor(order.length / size))
  const divisions = Array.from({ length: count }, (_, i) => order.slice(i * size, i + 1 === count ? undefined : (i + 1) * size))
  const matches = divisions.flatMap((members) =>
    seats === 2 ? pairsOf(members) : Array.from({ length: SIZE - 1 }, () => cut(drawn(members, seats, random), seats)).flat()
  )
  return shuffled(matches, random)
})

const pairsOf = (members: ReadonlyArray<Player>): Array<ReadonlyArray<Player>> =>
  members.flatMap((a, i) => members.slice(i + 1).map((b) => [a, b]))
