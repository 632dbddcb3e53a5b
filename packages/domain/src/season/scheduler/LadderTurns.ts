/**
 * The order of the ladders: the one whose entries have played least is served first. A ladder on which nobody could be paired for a while,
 * such as that of a class whose second entry has only now come, makes up for no more than a few turns. Otherwise two entries of a class that
 * nobody else is in would have all matches of a small fleet, until they had played as much as others had in weeks. In a round
 * entries are owed their games, however late they come; there this holds for idle fill.
 */
import type { LadderState } from "../Ladders.ts"
import type { LadderRating } from "../rating/LadderRating.ts"
import type { State } from "../State.ts"
import { turnsOf } from "../TurnOrder.ts"

/** So many turns a ladder may make up for. Matches of one pairing batch lie about as far apart. */
const MADE_UP_TURNS = 2

export interface LadderTurn {
  readonly ladder: LadderState
  /** The virtual games of those of its entries that are next. */
  readonly turn: number
}

/** Ladders by the virtual games that their next entries have played in the round, the fewest first. */
export const inTurn = (state: State, ladders: ReadonlyArray<LadderState>): ReadonlyArray<LadderTurn> =>
  sorted(ladders.map((ladder) => ({ ladder, turn: turnOf(state, ladder) })))

/**
 * The same, less what a ladder does not make up for. An entry that is behind the others of its ladder, since its match lasted or was voided,
 * does not count. Otherwise the ladder would be far behind while this entry is free, have that distance passed over, and be far ahead
 * of all other ladders while it plays.
 */
export const inFairTurn = ({ clock, passed }: State, turns: ReadonlyArray<LadderTurn>): ReadonlyArray<LadderTurn> =>
  sorted(turns.map(({ ladder, turn }) => ({ ladder, turn: Math.max(turn, clock[ladder.index]!) + passed[ladder.index]! })))

const sorted = (turns: Array<LadderTurn>): ReadonlyArray<LadderTurn> =>
  turns.sort((a, b) => a.turn - b.turn || a.ladder.index - b.ladder.index)

/**
 * A match of this ladder is played. Its distance behind the ladder that was served furthest on is passed over, but for the turns that it
 * may make up for.
 */
export const served = (state: State, { ladder: { index }, turn }: LadderTurn): void => {
  const missed = Math.max(0, state.reached - MADE_UP_TURNS - turn)
  state.passed[index]! += missed
  state.reached = Math.max(state.reached, turn + missed)
}

const turnOf = (state: State, ladder: LadderState): number => {
  const first = ladder.queue[0]
  if (first === undefined) return turnsOrNone(ladder.heap[0])
  let least = Infinity
  for (const id of state.live.get(first)!.versions) least = Math.min(least, turnsOrNone(ladder.ratings.get(id)))
  return least
}

/** Infinity where there is no entry, which then comes last. */
export const turnsOrNone = (entry: LadderRating | undefined): number => (entry === undefined ? Infinity : turnsOf(entry))
