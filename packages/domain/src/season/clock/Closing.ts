/**
 * Closing: nothing new starts, running matches get a minute, then the podium freezes. It also waits
 * that long for voids of a disqualified version's matches, and for ratings without voided matches, or with other
 * starts. Where replays are checked, it waits for the check of every result, up to half a minute more, and as long for all the
 * rest: a runner may report its last match falsely with the minute's last second. If those are not ready in time, the ratings
 * stay as they are, and the log lists the versions whose matches count, and the voided matches that ratings still
 * include, and says that they keep their starts, or that replays were not checked.
 */
import { logged, writtenItself } from "../Audit.ts"
import type { Of, Replies } from "../Command.ts"
import { currentRound } from "../Round.ts"
import { podium } from "../rating/Podium.ts"
import { takeSeries } from "../rating/Series.ts"
import { awaitsFold } from "../rating/Starts.ts"
import type { Voiding } from "../rating/Voided.ts"
import type { State } from "../State.ts"
import { withdraw } from "../scheduler/Requeueing.ts"
import { endRound, rejectCandidates } from "./Rounds.ts"

/** How long running matches may go on once a season is closing. */
export const CLOSING_MS = 60_000

/** For how long after that its podium waits for the check of their replays. */
export const CHECKING_MS = 30_000

export const closeSeason = (state: State, { audit, checks }: Of<"CloseSeason">): Replies["CloseSeason"] => {
  if (state.phase !== "open") return { close_requested_at: state.close_requested_at! }
  state.phase = "closing"
  state.close_requested_at = state.now
  state.checked = checks ? 0 : null
  state.writes.head = true
  logged(state, audit)
  rejectCandidates(state, "The season was closed while it was being tried.")
  state.recheckQueue = true
  state.events.push({ _tag: "SeasonChanged" })
  return { close_requested_at: state.now }
}

/** The end of the minute. The time in which the season was away (Absence.ts) is none of it. */
const playsUntil = ({ close_requested_at, closing_away_ms }: State): number => close_requested_at! + CLOSING_MS + closing_away_ms

const waitsUntil = (state: State): number => playsUntil(state) + (state.checked === null ? 0 : CHECKING_MS)

export const closingDue = (state: State): number => (state.now < playsUntil(state) ? playsUntil(state) : waitsUntil(state))

/** Results may have come since they were counted: those wait for the next check. */
export const replaysChecked = (state: State, { played }: Of<"ReplaysChecked">): null => {
  if (state.checked === null || played <= state.checked) return null
  state.checked = played
  state.writes.head = true
  return null
}

/** A season in which nothing counts has no podium to protect. */
const awaitsCheck = ({ checked, played, rated }: State): boolean => checked !== null && checked < played && rated > 0

export const finishClosing = (state: State): void => {
  if (state.now >= playsUntil(state)) {
    for (const match of [...state.live.values()]) withdraw(state, match, { reason: "season_closed", successor: null })
  }
  if (state.now >= waitsUntil(state)) {
    for (const version of state.to_void) keepMatches(state, version)
    state.to_void = []
    for (const each of [...state.voiding.values()]) keepRated(state, each)
    if (state.learning !== null) keepStarts(state)
    if (awaitsCheck(state)) keepUnchecked(state)
  }
  if (state.live.size > 0 || state.to_void.length > 0 || awaitsFold(state) || awaitsCheck(state)) return
  const round = currentRound(state)
  if (round !== undefined) endRound(state, round)
  takeSeries(state)
  state.phase = "closed"
  state.closed_at = state.now
  state.podium = podium(state)
  state.writes.head = true
  state.events.push({ _tag: "SeasonClosed" })
}

const keepMatches = (state: State, version: string): void =>
  writtenItself(state, "version.doubt", version, 0, { why: "closed before all its matches were voided" })

/** Seats may have been written with the other starts already. */
const keepStarts = (state: State): void => {
  state.learning = null
  writtenItself(state, "season.doubt", state.id, 0, { why: "closed before ratings with other starts were there" })
}

const keepUnchecked = (state: State): void => {
  state.checked = null
  writtenItself(state, "season.doubt", state.id, 0, { why: "closed before the replays of its last results were checked" })
}

const keepRated = (state: State, { match, n }: Voiding): void => {
  state.voiding.delete(match)
  state.writes.voiding.add(match)
  writtenItself(state, "match.doubt", match, n, { why: "closed before ratings without it were there" })
}
