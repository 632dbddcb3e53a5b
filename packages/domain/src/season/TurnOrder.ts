/** The order in which a ladder's entries are paired: those that have had the fewest turns first. */
import { virtualGamesOfNth } from "../pairing/VirtualGames.ts"
import { mix } from "./Random.ts"

/** A failed match counts as a turn. */
export const turnsOf = ({ failed, virtual_games }: { readonly virtual_games: number; readonly failed: number }): number =>
  virtual_games + failed

/**
 * A fixed fraction in [0, 1) for this entry at this number of games: heaps rebuilt after a
 * restart pop in the same order.
 */
const fractionOf = (ord: number, games: number): number => mix(Math.imul(ord, 0x9e3779b1) ^ Math.imul(games + 1, 0x85ebca6b)) / 4294967296

/**
 * An entry's key in its heap. The fraction shuffles only entries of equal virtual games, since it stays below what
 * the next game adds. Otherwise newcomers, whose games count half, would drift three games apart.
 */
export const heapKeyOf = (entry: {
  readonly ord: number
  readonly ladder_games: number
  readonly virtual_games: number
  readonly failed: number
}): number => turnsOf(entry) + virtualGamesOfNth(entry.ladder_games + 1) * fractionOf(entry.ord, entry.ladder_games)
