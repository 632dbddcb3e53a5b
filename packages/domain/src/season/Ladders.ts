/** Ladders for pairing: the state that both the scheduler and the rating engine write. */
import { type Heap, heapify, push } from "../pairing/Heap.ts"
import { Ranks } from "../pairing/Ranks.ts"
import { currentRound, type Round } from "./Round.ts"
import { LADDERS, type Ladder } from "./Rules.ts"
import type { LadderRating } from "./rating/LadderRating.ts"
import type { OpenMatch } from "./scheduler/Match.ts"
import { heapKeyOf } from "./TurnOrder.ts"
import type { Version } from "./Version.ts"

/** The derived state of one ladder: free entries, prepared matches, and how many are being played. */
export interface LadderState {
  readonly ladder: Ladder
  readonly index: number
  readonly ratings: Map<string, LadderRating> // by version id
  readonly ranks: Ranks // of the active ratings
  heap: Heap<LadderRating> // active and free
  queue: Array<string> // prepared matches, oldest first
  active: number // entries that may be paired
  owed: number // counted matches that the current round owes each entry; unlimited without a round
  playing: number // leased matches made for this ladder
  readonly stragglers: Set<string> // those of them that pairing no longer waits for (scheduler/Stragglers.ts)
  seated: number // seats of the others
}

export const emptyLadders = (): ReadonlyArray<LadderState> =>
  LADDERS.map((ladder, index) => ({
    ladder,
    index,
    ratings: new Map(),
    ranks: new Ranks(),
    heap: [],
    queue: [],
    active: 0,
    owed: Infinity,
    playing: 0,
    stragglers: new Set(),
    seated: 0
  }))

interface Ladders {
  readonly ladders: ReadonlyArray<LadderState>
}

export const ladderNamed = ({ ladders }: Ladders, name: Ladder): LadderState => ladders[LADDERS.indexOf(name)]!

/** The ladder that a match was made for; none for a trial. */
export const ladderOf = (state: Ladders, { ladder }: Pick<OpenMatch, "ladder">): LadderState | undefined =>
  ladder === null ? undefined : ladderNamed(state, ladder)

/** The ladders that a version plays on: that of its class, and open. */
export const laddersOf = ({ ladders }: Ladders, version: Pick<Version, "class">): ReadonlyArray<LadderState> =>
  ladders.filter(({ ladder }) => ladder === version.class || ladder === "open")

export const addRating = (ladder: LadderState, rating: LadderRating): void => {
  ladder.ratings.set(rating.version, rating)
  if (!rating.active) return
  if (!rating.suspended) ladder.active++
  ladder.ranks.add(rating.mu)
}

/** The part of the state that says who is in a match of the current round. */
interface Played {
  readonly round: number
  readonly rounds: ReadonlyArray<Round>
  readonly live: ReadonlyMap<string, OpenMatch>
}

/** Every active rating without a match in the current round is free. */
export const fillHeap = (state: Played, ladder: LadderState): void => {
  ladder.owed = state.round === 0 ? Infinity : currentRound(state)!.games
  for (const rating of ladder.ratings.values()) rating.busy = false
  for (const match of state.live.values()) {
    if (match.ladder !== ladder.ladder || match.round !== state.round) continue
    for (const id of match.versions) {
      const rating = ladder.ratings.get(id)
      if (rating !== undefined) rating.busy = true
    }
  }
  const waiting: Array<LadderRating> = []
  for (const rating of ladder.ratings.values()) {
    if (!rating.active || rating.busy || rating.suspended) continue
    rating.key = keyIn(ladder, rating)
    waiting.push(rating)
  }
  ladder.heap = heapify(waiting)
}

/**
 * Added to the key of entries owed no match, so that they come last: above any virtual games, and small
 * enough to keep the fraction.
 */
const DONE = 2 ** 24

const keyIn = ({ owed }: LadderState, rating: LadderRating): number => heapKeyOf(rating) + (rating.virtual_games < owed ? 0 : DONE)

export const free = (ladder: LadderState, rating: LadderRating): void => {
  rating.busy = false
  if (rating.suspended) return
  rating.key = keyIn(ladder, rating)
  push(ladder.heap, rating)
}

/** The entry may be paired again: its match is over or will not be played. */
export const release = (ladder: LadderState, rating: LadderRating): void => {
  if (!rating.busy) return
  rating.busy = false
  if (rating.active) free(ladder, rating)
}
