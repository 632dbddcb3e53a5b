/** Ladders for pairing: the state that both the scheduler and the rating engine write. */
import { type Heap, heapify, push } from "../pairing/Heap.ts"
import { Ranks } from "../pairing/Ranks.ts"
import { keyOf } from "./Random.ts"
import { LADDERS, type Ladder } from "./Rules.ts"
import type { LadderRating } from "./rating/LadderRating.ts"
import type { OpenMatch } from "./scheduler/Match.ts"

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
    playing: 0
  }))

/** The ladder that a match was made for; none for a trial. */
export const ladderOf = (
  { ladders }: { readonly ladders: ReadonlyArray<LadderState> },
  { ladder }: Pick<OpenMatch, "ladder">
): LadderState | undefined => (ladder === null ? undefined : ladders[LADDERS.indexOf(ladder)])

export const addRating = (ladder: LadderState, standing: LadderRating): void => {
  ladder.ratings.set(standing.version, standing)
  if (!standing.active) return
  if (!standing.suspended) ladder.active++
  ladder.ranks.add(standing.mu)
}

/** Of the state. */
interface Current {
  readonly round: number
  readonly rounds: ReadonlyArray<{ readonly n: number; readonly games: number }>
  readonly live: ReadonlyMap<string, OpenMatch>
}

/** Every active standing without a match in the current round is free. */
export const fillHeap = (state: Current, ladder: LadderState): void => {
  ladder.owed = state.round === 0 ? Infinity : state.rounds.find(({ n }) => n === state.round)!.games
  for (const standing of ladder.ratings.values()) standing.busy = false
  for (const match of state.live.values()) {
    if (match.ladder !== ladder.ladder || match.round !== state.round) continue
    for (const id of match.versions) {
      const standing = ladder.ratings.get(id)
      if (standing !== undefined) standing.busy = true
    }
  }
  const waiting: Array<LadderRating> = []
  for (const standing of ladder.ratings.values()) {
    if (!standing.active || standing.busy || standing.suspended) continue
    standing.key = keyIn(ladder, standing)
    waiting.push(standing)
  }
  ladder.heap = heapify(waiting)
}

/** Added to the key of entries owed no match, so that they come last: above any credit, and small enough to keep the fraction. */
const DONE = 2 ** 24

const keyIn = ({ owed }: LadderState, standing: LadderRating): number => keyOf(standing) + (standing.credit < owed ? 0 : DONE)

export const free = (ladder: LadderState, standing: LadderRating): void => {
  standing.busy = false
  if (standing.suspended) return
  standing.key = keyIn(ladder, standing)
  push(ladder.heap, standing)
}

/** The entry may be paired again: its match is over or will not be played. */
export const release = (ladder: LadderState, standing: LadderRating): void => {
  if (!standing.busy) return
  standing.busy = false
  if (standing.active) free(ladder, standing)
}
