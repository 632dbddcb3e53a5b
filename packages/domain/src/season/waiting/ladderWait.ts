/**
 * How long until an entry's next match on one ladder starts. A ladder starts its prepared matches
 * first, then those of the next pairing batches, which take its free entries in the order of
 * their keys (scheduler/PairingBatches.ts). So the entry waits for a number of starts, and the
 * ladder's pace tells their time.
 */
import { BATCH_ENTRIES } from "../../pairing/PairingBatch.ts"
import type { LadderState } from "../Ladders.ts"
import { isFinals } from "../Round.ts"
import type { LadderRating } from "../rating/LadderRating.ts"
import { virtualGamesOf } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import type { OpenMatch } from "../scheduler/Match.ts"
import { heapKeyOf } from "../TurnOrder.ts"
import { type Pace, rateOf } from "./Pace.ts"
import { afterStarts, both, type Span } from "./Span.ts"

/** Free entries whose keys are compared; of a larger ladder so many in even steps. */
const COMPARED = 2_048

/** The facts of an entry that decide its turn. */
export type Turn = Pick<LadderRating, "ord" | "ladder_games" | "virtual_games" | "failed" | "forfeits" | "version">

/** A season at a moment. */
export interface Moment {
  readonly state: State
  readonly pace: Pace
  readonly now: number
}

/** Null where the ladder owes it no match, or its pace is not known. `joining`: it is not on the ladder yet. */
export const ladderWait = ({ now, pace, state }: Moment, ladder: LadderState, turn: Turn, joining = false): Span | null => {
  const rate = rateOf(pace.starts[ladder.index]!, now)
  const seats = seatsOn(state, ladder)
  if (rate === null || seats === null) return null
  const prepared = ladder.queue.findIndex((id) => state.live.get(id)!.versions.includes(turn.version))
  if (prepared >= 0) return afterStarts(prepared + 1, prepared + 1, rate)
  const playing = joining ? undefined : playedNow(state, ladder, turn.version)
  const next = playing === undefined ? turn : played(state, turn)
  if (next.virtual_games >= ladder.owed && !isFilled(state)) return null
  const ahead = aheadOf(state, ladder, next)
  const batch = Math.min(BATCH_ENTRIES, Math.max(seats, ladder.heap.length))
  const first = ladder.queue.length + (Math.floor(ahead / BATCH_ENTRIES) * BATCH_ENTRIES) / seats + 1
  const last = ladder.queue.length + Math.max(ahead + seats, Math.ceil((ahead + 1) / batch) * batch) / seats
  const wait = afterStarts(first, Math.max(first, last), rate)
  return playing === undefined ? wait : both(wait, remaining(pace, playing, now))
}

/** The seats of a match on average: boards take turns. */
export const seatsOn = (state: State, ladder: LadderState): number | null => {
  const boards = [...state.boards.values()].filter(({ enabled, players }) => enabled && players <= ladder.active)
  return boards.length === 0 ? null : boards.reduce((sum, { players }) => sum + players, 0) / boards.length
}

const playedNow = (state: State, { ladder }: LadderState, version: string): OpenMatch | undefined => {
  for (const match of state.live.values()) {
    if (match.ladder === ladder && match.round === state.round && match.versions.includes(version)) return match
  }
  return undefined
}

/** Where it stands after the match that it is playing. */
const played = (state: State, turn: Turn): Turn => {
  const ladder_games = turn.ladder_games + 1
  return { ...turn, ladder_games, virtual_games: turn.virtual_games + virtualGamesOf(state, { forfeits: turn.forfeits, ladder_games }) }
}

/** Beyond what is owed, entries play as long as idle fill has no limit. */
const isFilled = (state: State): boolean => {
  const { enabled, max_per_hour } = state.settings.fill
  return enabled && max_per_hour === null && !isFinals(state)
}

/** Free entries that come before it, and those of the entries that play now which will. */
const aheadOf = (state: State, ladder: LadderState, turn: Turn): number => {
  const key = heapKeyOf(turn)
  const { heap } = ladder
  const step = Math.max(1, Math.floor(heap.length / COMPARED))
  let free = 0
  for (let i = 0; i < heap.length; i += step) if (heap[i]!.version !== turn.version && heapKeyOf(heap[i]!) < key) free += step
  let busy = 0
  for (const match of state.live.values()) {
    if (match.ladder !== ladder.ladder || match.round !== state.round) continue
    for (const id of match.versions) {
      const rating = ladder.ratings.get(id)
      if (rating?.active && id !== turn.version && heapKeyOf(played(state, rating)) < key) busy++
    }
  }
  return Math.min(free, heap.length) + busy
}

/** How much longer a match may be played: matches that last long last longer still. */
export const remaining = (pace: Pace, { id }: OpenMatch, now: number): Span => {
  const usual = pace.match_ms ?? 0
  const began = pace.began.get(id) ?? null
  const so_far = began === null ? 0 : now - began
  return { low: Math.max(0, 0.4 * usual - so_far), high: Math.max(2 * usual - so_far, 0.5 * so_far, 0.5 * usual) }
}
