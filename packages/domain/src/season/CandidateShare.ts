/**
 * How slots are shared between candidates (reviews and trials) and ladders. Candidates come first: who submits waits only for others who
 * do. But candidates whose files are slow to examine and to play would have all of a small fleet, for as long as their owners go on sending
 * them. So while a ladder has a match to play, candidates hold no more slots than ladders do, and where both hold as many, as with a single
 * slot, candidates come first until they have used some minutes more.
 *
 * An examination by a runner that plays none of the season's matches takes nothing from ladders and is not counted. Otherwise trials would
 * wait for as long as machines that only examine are busy.
 */
import type { Leased } from "./Lease.ts"
import type { State } from "./State.ts"
import type { Review } from "./Version.ts"

/** Slot time by which candidates may be ahead of ladders: two minutes, enough for one who is examined and tried at an ordinary pace. */
const AHEAD_MS = 120_000
/** More is not made up for: candidates may have had the fleet for hours because ladders had nothing to play. */
const AHEAD_MAX_MS = 600_000
/** Keeps the season's head small; further examinations are counted. */
const APART_MAX = 64

/** Whether the next slot goes to a candidate, if both have work for it. */
export const isCandidatesTurn = (state: State): boolean => {
  const { candidates, ladders } = slotsHeld(state)
  return candidates < ladders || (candidates === ladders && state.candidates_ahead_ms < AHEAD_MS)
}

/** By leases that have not ended, of runners that play matches. */
export const slotsHeld = ({ apart, ladders, live, reviews, trials }: State) => {
  let [onLadders, queued] = [0, trials.size]
  for (const { playing, queue } of ladders) {
    onLadders += playing
    queued += queue.length
  }
  let examined = 0
  for (const { until, version } of reviews.values()) if (until !== null && !apart.includes(version)) examined++
  return { candidates: live.size - queued - onLadders + examined, ladders: onLadders }
}

/** A lease has ended, however it did. */
export const noteSlotTime = (state: State, { leased_at }: Leased, ofCandidate: boolean): void => {
  const held_ms = Math.max(0, state.now - leased_at!)
  const ahead_ms = state.candidates_ahead_ms + (ofCandidate ? held_ms : -held_ms)
  const kept_ms = Math.min(AHEAD_MAX_MS, Math.max(0, ahead_ms))
  if (kept_ms === state.candidates_ahead_ms) return
  state.candidates_ahead_ms = kept_ms
  state.writes.head = true
}

/** A runner begins to examine this candidate; `isApart`: it plays none of the season's matches. */
export const noteApart = (state: State, candidate: string, isApart: boolean): void => {
  const others = state.apart.filter((id) => id !== candidate && (state.reviews.get(id)?.until ?? null) !== null)
  if (!isApart && others.length === state.apart.length) return
  state.apart = isApart && others.length < APART_MAX ? [...others, candidate] : others
  state.writes.head = true
}

/** The lease of a review has ended. */
export const noteExamined = (state: State, review: Review): void => {
  if (!state.apart.includes(review.version)) noteSlotTime(state, review, true)
}
