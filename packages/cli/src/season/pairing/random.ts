/** Rounds of random matches, everybody once a round. */
import { cut, drawn, rounds } from "./Pairing.ts"

export const random = rounds((players, seats, draw) => cut(drawn(players, seats, draw), seats))
