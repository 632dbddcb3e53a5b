/**
 * Trials: an admitted candidate plays a few unrated matches. It enters once it has finished all of them
 * under the strike limit. Its opponents are baselines in play, then entered versions (TrialOpponents.ts), then
 * copies of itself, so a trial needs only a board.
 */

import { enterVersion, pardon, rejectVersion } from "../entry/Versions.ts"
import type { EndedMatch } from "../Log.ts"
import { draw } from "../Random.ts"
import { TRIALS } from "../Rules.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import type { Board } from "./Match.ts"
import { createMatch } from "./OpenMatches.ts"
import { drawOpponents, type Opponents, opponentsIn } from "./TrialOpponents.ts"

/**
 * After this many trial matches failed through no fault of a seat, the runners count as
 * unable to try the candidate.
 */
const TRIAL_VOID_MAX = 5

/** Goes on with the trials that have moved. Their open matches are counted in one pass: a board that comes or goes moves all trials. */
export const continueTrials = (state: State): void => {
  const { live, movedTrials } = state
  if (movedTrials.size === 0) return
  const open = new Map<string, number>()
  for (const { candidate } of live.values())
    if (candidate !== null && movedTrials.has(candidate)) open.set(candidate, (open.get(candidate) ?? 0) + 1)
  const moved = [...movedTrials]
  movedTrials.clear()
  const opponents = opponentsIn(state)
  for (const id of moved) continueTrial(state, id, open.get(id) ?? 0, opponents)
}

/** Queues the matches that the candidate still has to play, beside those that are open; decides once all are over. */
const continueTrial = (state: State, id: string, open_before: number, opponents: () => Opponents): void => {
  const candidate = state.versions_by_id.get(id)
  if (candidate?.phase !== "trial" || state.phase !== "open") return
  let open = open_before
  const wanted = state.settings.rules.trial.matches
  if (candidate.trial_void >= TRIAL_VOID_MAX) {
    if (open === 0)
      rejectVersion(state, candidate, "admission_unavailable", "The runners failed its trial matches five times; submit it again.")
    return
  }
  for (; candidate.trial_played + open < wanted; open++) if (!queueTrial(state, candidate, opponents)) return
  if (candidate.trial_played < wanted) return
  if (candidate.trial_failed === 0) enterVersion(state, candidate)
  else rejectVersion(state, candidate, "trial_failed", failedIn(candidate))
}

const failedIn = ({ trial_failed, trial_played }: Version): string =>
  `It reached the strike limit in ${trial_failed} of its ${trial_played} trial matches; their replays show in which turns.`

/**
 * A trial match that was not played as reported. The candidate plays it once more while it is being tried. One that was rejected
 * stays so, for the matches that it failed besides, or else through no fault of its own.
 */
export const voidTrial = (state: State, { candidate: id, rejected, seats }: EndedMatch): void => {
  const candidate = state.versions_by_id.get(id!) ?? state.writes.rejected.get(id!) ?? rejected
  if (candidate === null || (candidate.phase !== "trial" && candidate.reject_reason !== "trial_failed")) return
  const limit = state.settings.rules.match.strike_limit
  candidate.trial_void++
  candidate.trial_played--
  if (seats.some(({ strikes, version }) => version === id && strikes >= limit)) candidate.trial_failed--
  if (candidate.status === "rejected") {
    state.writes.rejected.set(id!, candidate)
    if (candidate.trial_failed > 0) candidate.reject_detail = failedIn(candidate)
    else pardon(state, candidate, "A trial match that it had failed was not played as reported; submit it again.")
    return
  }
  state.writes.versions.add(candidate.id)
  state.movedTrials.add(candidate.id)
}

const queueTrial = (state: State, candidate: Version, opponents: () => Opponents): boolean => {
  const board = [...state.boards.values()]
    .filter(({ enabled }) => enabled)
    .sort((a, b) => a.used[TRIALS]! - b.used[TRIALS]! || a.ord - b.ord)[0]
  if (board === undefined) return false
  const versions = seatsOf(state, candidate, board, opponents())
  state.trials.add(createMatch(state, { ladder: null, candidate: candidate.id, board, versions }).id)
  state.workAppeared = true
  return true
}

const seatsOf = (state: State, candidate: Version, { players }: Board, opponents: Opponents): ReadonlyArray<string> => {
  const others = [...drawOpponents(state, opponents, candidate, players - 1)]
  while (others.length < players - 1) others.push(candidate.id)
  const seat = Math.floor(draw(state) * players)
  return [...others.slice(0, seat), candidate.id, ...others.slice(seat)]
}
