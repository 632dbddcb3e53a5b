/** Rounds of random matches, each player once per round. */
import { cut, drawn, rounds } from "./Pairing.ts"

export const random = rounds((players, seats, draw) => cut(drawn(players, seats, draw), seats))
