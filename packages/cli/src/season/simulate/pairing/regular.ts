/**
 * Rounds on a random 4-regular graph: every player has four different opponents per round, whatever
 * the ratings. With two seats: two random cycles through all players without a common edge. With
 * more: four random partitions.
 */
import { shuffled } from "@agon/domain/pairing/PairingBatch.ts"
import { cut, drawn, type Player, rounds } from "./Pairing.ts"

const DEGREE = 4
/** In a small field two cycles may have to share an edge. */
const TRIES = 50

export const regular = rounds((players, seats, random) => {
  if (seats > 2) return Array.from({ length: DEGREE }, () => cut(drawn(players, seats, random), seats)).flat()
  const first = edges(shuffled(players, random))
  const taken = new Set(first.map(nameOf))
  let second = edges(shuffled(players, random))
  for (let i = 0; i < TRIES && second.some((edge) => taken.has(nameOf(edge))); i++) second = edges(shuffled(players, random))
  return shuffled([...first, ...second], random)
})

const edges = (cycle: ReadonlyArray<Player>): ReadonlyArray<readonly [Player, Player]> =>
  cycle.map((player, i) => [player, cycle[(i + 1) % cycle.length]!])

const nameOf = ([a, b]: readonly [Player, Player]): string => `${Math.min(a.slot, b.slot)}-${Math.max(a.slot, b.slot)}`
