/** How much a game adds to an entry's credit in continuous play. Entries with the least credit are paired first. */

/** An entry new to a ladder is paired twice as often as the others until it has played this many games there. */
const NEWCOMER_GAMES = 20
const NEWCOMER_CREDIT = 0.5

/** Credit of an entry's n-th game, counted from 1. */
export const creditOfGame = (n: number): number => (n <= NEWCOMER_GAMES ? NEWCOMER_CREDIT : 1)
