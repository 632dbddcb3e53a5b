/** What a game counts in an entry's credit in continuous play: those with the least credit are paired first. */

/** So many games in, an entry that is new to a ladder is paired as often as any other; before, twice as often. */
const NEWCOMER_GAMES = 20
const NEWCOMER_CREDIT = 0.5

/** Credit of an entry's n-th game, n from 1. */
export const creditOfGame = (n: number): number => (n <= NEWCOMER_GAMES ? NEWCOMER_CREDIT : 1)
