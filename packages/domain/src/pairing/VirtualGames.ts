/** How much a game adds to an entry's virtual games in continuous play. Entries with the fewest are paired first. */

/** An entry new to a ladder is paired twice as often as the others until it has played this many games there. */
const NEWCOMER_GAMES = 20
const NEWCOMER_WEIGHT = 0.5

/** The virtual games that an entry's n-th game, counted from 1, adds. */
export const virtualGamesOfNth = (n: number): number => (n <= NEWCOMER_GAMES ? NEWCOMER_WEIGHT : 1)
