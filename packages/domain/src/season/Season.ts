/**
 * The season: the match scheduler (scheduler/: pairing, leases and voided matches), the rating engine (rating/:
 * rating results, and again without voided ones), the round clock (clock/: rounds, closing and absence),
 * and entry (entry/: from a submitted version to one that plays). Each is a folder of rules over one
 * state; this file calls them.
 *
 *   season    open ──Close, or finals complete──▶ closing ──nothing leased and replays checked, or 90 s──▶ closed (podium frozen)
 *             (scheduled until submissions_open_at: reviews run, no match does)
 *
 *   version   upload ──both files──▶ review ──admitted──▶ trial ──all matches well──▶ entered ──newer one enters──▶ superseded
 *                └─window over─┐        └─rejected─┐         └─strike limit─┐           ▲ │ baselines: switched on and off
 *                              └──────────▶ rejected ◀──────────────────────┘           │ ▼
 *                                                  admitted baseline ──────────────▶ disabled
 *             entered ──Disqualify, owner removed──▶ disqualified ──Reinstate, owner back──▶ entered, or superseded by a newer one
 *                                                               └─ never entered, and finals or close have begun ─▶ rejected
 *
 *   match     ┌── lease ran out or fault, fewer than three times; given back, revoked ─┐
 *             ▼                                                                        │
 *  batch ▶ queued ──LeaseWork──▶ playing ──────ReportMatch──────▶ finished ──round stands──▶ rated
 *             │  └────late report of the last holder─────────────▶┘
 *             │                     ├──third lease ran out or fault, or nobody else plays──▶ failed ◀──VoidMatch── finished, rated
 *             └──superseded, disqualified, baseline or board off, round starts, Close──▶ cancelled
 *
 *   round     pending ──starts_at──▶ current (ratings reset, `games` owed to each entry) ──next starts──▶ over
 *
 * `step` advances the season to `now`, one deadline after another, then executes the command. It changes
 * `state` in place, names the changed rows in `state.writes` and the events in `state.events`, reads no clock
 * and draws random numbers only from the state: the same rows and commands give the same season.
 */

import { addBoard, editSettings, switchBoard } from "./Administration.ts"
import type { Command, Reply, ReplyTo } from "./Command.ts"
import { closeSeason, closingDue, finishClosing, replaysChecked } from "./clock/Closing.ts"
import { finalsComplete, patchRound, planRound, startRound } from "./clock/Rounds.ts"
import { switchBaseline } from "./entry/Baselines.ts"
import { disqualify, endVoids, reinstate, switchOwner } from "./entry/Exclusion.ts"
import { reportAdmission } from "./entry/Reviews.ts"
import { preflight, submitVersion } from "./entry/Submissions.ts"
import { expireUploads, receiveFiles, rejectFiles } from "./entry/Uploads.ts"
import { answerToRepeat } from "./Repeats.ts"
import { pendingRound, startOf } from "./Round.ts"
import { installFold } from "./rating/Installing.ts"
import { learnStarts } from "./rating/Learning.ts"
import { seriesDue, takeSeries } from "./rating/Series.ts"
import type { State } from "./State.ts"
import { holdOnly, leaseWork, loseLeases, releaseLease, revokeKey } from "./scheduler/Leases.ts"
import { heartbeat } from "./scheduler/OpenMatches.ts"
import { withdrawQueued } from "./scheduler/Requeueing.ts"
import { reportFault, reportMatch } from "./scheduler/Results.ts"
import { isRetakenAt, nextRetake } from "./scheduler/Retaking.ts"
import { findStragglers } from "./scheduler/Stragglers.ts"
import { continueTrials } from "./scheduler/Trials.ts"
import { voidMatch } from "./scheduler/Voiding.ts"

/** `isWritten`: the row that the command leaves is there (Repeats.ts), so it is delivered again. */
export const step = <C extends Command>(state: State, command: C, now: number, isWritten = false): ReplyTo<C> => {
  advance(state, now)
  const reply = answerToRepeat(state, command, isWritten) ?? execute(state, command)
  settle(state)
  return reply as ReplyTo<C>
}

const execute = (state: State, command: Command): Reply => {
  switch (command._tag) {
    case "SubmitVersion":
      return submitVersion(state, command)
    case "Preflight":
      return preflight(state, command)
    case "ReceiveFiles":
      return receiveFiles(state, command)
    case "RejectFiles":
      return rejectFiles(state, command)
    case "LeaseWork":
      return leaseWork(state, command)
    case "ReportMatch":
      return reportMatch(state, command)
    case "ReportFault":
      return reportFault(state, command)
    case "ReportAdmission":
      return reportAdmission(state, command)
    case "Heartbeat":
      return heartbeat(state, command)
    case "Release":
      return releaseLease(state, command)
    case "HoldOnly":
      return holdOnly(state, command)
    case "RevokeKey":
      return revokeKey(state, command)
    case "AddBoard":
      return addBoard(state, command)
    case "SwitchBoard":
      return switchBoard(state, command)
    case "SwitchBaseline":
      return switchBaseline(state, command)
    case "Disqualify":
      return disqualify(state, command)
    case "EndVoids":
      return endVoids(state, command)
    case "SwitchOwner":
      return switchOwner(state, command)
    case "Reinstate":
      return reinstate(state, command)
    case "PlanRound":
      return planRound(state, command)
    case "PatchRound":
      return patchRound(state, command)
    case "EditSettings":
      return editSettings(state, command)
    case "VoidMatch":
      return voidMatch(state, command)
    case "InstallFold":
      return installFold(state, command)
    case "LearnStarts":
      return learnStarts(state, command)
    case "CloseSeason":
      return closeSeason(state, command)
    case "ReplaysChecked":
      return replaysChecked(state, command)
    case "Tick":
      return null
  }
}

/** When `step` must run again even without a command: always later than the `now` of the last step. */
export const deadline = (state: State): number =>
  state.phase === "closed"
    ? Infinity
    : Math.min(
        state.leaseEnd,
        state.uploadEnd,
        state.stragglerAt,
        state.againEnd,
        state.settings.submissions_open_at > state.now ? state.settings.submissions_open_at : Infinity,
        state.phase === "open" ? nextStart(state) : Infinity,
        state.phase === "closing" ? closingDue(state) : Infinity,
        seriesDue(state)
      )

const nextStart = (state: State): number => {
  const round = pendingRound(state)
  return round === undefined ? Infinity : startOf(round, state.settings.submissions_open_at)
}

/** Advances to `now`, handling each deadline on the way in order and at its own time. */
const advance = (state: State, now: number): void => {
  for (let due = deadline(state); due <= now; due = deadline(state)) {
    if (due === state.settings.submissions_open_at) open(state)
    state.now = Math.max(state.now, due)
    if (state.leaseEnd <= state.now) loseLeases(state)
    if (state.uploadEnd <= state.now) expireUploads(state)
    if (state.stragglerAt <= state.now) passStragglers(state)
    if (state.againEnd <= state.now) offerAgain(state)
    if (state.phase === "open" && nextStart(state) <= state.now) startRound(state, pendingRound(state)!)
    settle(state)
  }
  state.now = Math.max(state.now, now)
}

/** A ladder has room beside a match that lasts. Written, so that a restored season does not announce it twice. */
const passStragglers = (state: State): void => {
  if (!findStragglers(state)) return
  state.workAppeared = true
  state.writes.head = true
}

/** A key may take work again that it has left to others. Written, so that a restored season does not announce it twice. */
const offerAgain = (state: State): void => {
  if (isRetakenAt(state, state.againEnd)) state.workAppeared = true
  state.againEnd = nextRetake(state)
  state.writes.head = true
}

/**
 * Submissions open: the season is live, and its matches may start. Written, so that a restored
 * season does not announce it twice.
 */
const open = (state: State): void => {
  state.workAppeared = true
  state.writes.head = true
  state.events.push({ _tag: "SeasonChanged" })
}

/** Applies everything that follows from the state alone, until nothing more does. */
const settle = (state: State): void => {
  do {
    if (state.recheckQueue) {
      state.recheckQueue = false
      withdrawQueued(state)
    }
    continueTrials(state)
    if (finalsComplete(state)) closeSeason(state, { _tag: "CloseSeason" })
    else if (state.phase === "closing" && !state.recheckQueue) finishClosing(state)
  } while (state.recheckQueue || state.movedTrials.size > 0)
  if (seriesDue(state) <= state.now) takeSeries(state)
  if (!state.workAppeared) return
  state.workAppeared = false
  state.events.push({ _tag: "WorkAppeared" })
}
