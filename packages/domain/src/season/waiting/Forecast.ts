/**
 * The reason why a version waits, and about when its next match starts, from the state of its season and its
 * pace. It reads and changes nothing. The interval holds the start of its next match, on trial or rated, in
 * more than 80 of 100 cases (Forecast.test.ts); where nothing is known yet there is none.
 */

import { slotsHeld } from "../CandidateShare.ts"
import { entryOf } from "../entry/Versions.ts"
import { laddersOf } from "../Ladders.ts"
import { pendingRound } from "../Round.ts"
import { turnsAtEntry } from "../rating/LadderEntries.ts"
import type { State } from "../State.ts"
import { mayPlay } from "../scheduler/PairingBatches.ts"
import type { Version } from "../Version.ts"
import { ladderWait, type Moment, remaining, seatsOn } from "./ladderWait.ts"
import { allStarts, rateOf } from "./Pace.ts"
import { AT_ONCE, afterStarts, both, either, inTurn, later, type Span, seconds } from "./Span.ts"

export const WAIT_REASONS = [
  "upload",
  "no_admitter",
  "admission_queue",
  "trial",
  "no_runner",
  "season_not_open",
  "no_board",
  "suspended"
] as const
type WaitReason = (typeof WAIT_REASONS)[number]

/** Seconds from now, whole. */
export type Eta = readonly [number, number]

export interface Waiting {
  readonly reason: WaitReason
  readonly ahead: number // reviews or trial matches that come first
  readonly eta_s: Eta | null
}

export interface Forecast {
  readonly waiting: Waiting | null
  /** Of an entry in play. */
  readonly next_match_eta_s: Eta | null
}

/** Slots of the runners that may do the season's reviews and play its matches, and were heard of lately. */
export interface Reach {
  readonly admitters: number
  readonly players: number
}

export interface Known extends Moment {
  readonly reach: Reach
}

const NOTHING: Forecast = { waiting: null, next_match_eta_s: null }

export const forecast = (known: Known, id: string): Forecast => {
  const { state } = known
  const version = state.versions_by_id.get(id)
  if (version === undefined || state.phase !== "open") return NOTHING
  if (version.status === "testing") return { waiting: ofCandidate(known, version), next_match_eta_s: null }
  return version.status === "entered" ? ofEntry(known, version) : NOTHING
}

const waits = (reason: WaitReason, span: Span | null = null, ahead = 0): Waiting => ({
  reason,
  ahead,
  eta_s: span === null ? null : seconds(span)
})

const ofCandidate = (known: Known, version: Version): Waiting => {
  if (version.phase === "upload") return waits("upload")
  return version.phase === "review" ? ofReview(known, version) : ofTrial(known, version)
}

const ofReview = ({ now, pace, reach, state }: Known, version: Version): Waiting => {
  const own = state.reviews.get(version.id)
  let [ahead, leased] = [0, 0]
  for (const review of state.reviews.values()) {
    if (review.until !== null) leased++
    else if (state.versions_by_id.get(review.version)!.ord < version.ord) ahead++
  }
  const isExamined = own !== undefined && own.until !== null
  if (!isExamined && reach.admitters === 0) return waits("no_admitter", null, ahead)
  const { review_ms } = pace
  const trial = nthTrial({ now, pace, reach, state }, state.trials.size + 1)
  if (isExamined) ahead = 0
  if (review_ms === null || trial === null || !hasBoard(state)) return waits("admission_queue", null, ahead)
  if (isExamined) {
    const so_far = now - (pace.began.get(version.id) ?? now)
    const rest = { low: Math.max(0, 0.4 * review_ms - so_far), high: Math.max(2 * review_ms - so_far, 0.5 * review_ms) }
    return waits("admission_queue", inTurn(rest, { low: 0, high: trial.high }), 0)
  }
  if (own !== undefined && own.opinions.length > 0) return waits("admission_queue", null, ahead) // whether another key comes is not known
  const turns = Math.max(0, ahead + leased + 1 - reach.admitters) / reach.admitters
  const begun = { low: 0.5 * turns * review_ms, high: 1.6 * turns * review_ms + trial.high }
  return waits("admission_queue", inTurn(begun, { low: 0.4 * review_ms, high: 2 * review_ms + trial.high }), ahead)
}

const ofTrial = (known: Known, version: Version): Waiting => {
  const { now, pace, reach, state } = known
  const own = [...state.live.values()].filter(({ candidate }) => candidate === version.id)
  if (own.length === 0) return waits("no_board")
  if (reach.players === 0) return waits("no_runner")
  const ahead = [...state.trials].findIndex((id) => state.live.get(id)!.candidate === version.id)
  if (ahead >= 0) return waits("trial", nthTrial(known, ahead + 1), ahead)
  const rest = own.map((match) => remaining(pace, match, now)).reduce(both)
  const joined = onLadders(known, version)
  return waits("trial", joined === null || pace.match_ms === null ? null : both(rest, { ...joined, high: joined.high + rest.high }))
}

/**
 * When the n-th queued trial match starts: at the next slot that comes free, after the reviews that wait. While ladders have
 * matches to play, candidates have half of the slots, so that those beyond their share start at every second one that comes free.
 */
const nthTrial = ({ now, pace, reach, state }: Known, n: number): Span | null => {
  const held = slotsHeld(state)
  const queuedReviews = [...state.reviews.values()].filter(({ until }) => until === null).length
  const ladderWaits = state.ladders.some((ladder) => mayPlay(state, ladder) && ladder.queue.length > 0)
  if (queuedReviews === 0 && !ladderWaits && held.candidates + held.ladders + n <= reach.players) return AT_ONCE
  const rate = allStarts(pace, now)
  if (rate === null) return null
  const beyond = held.ladders > 0 || ladderWaits ? Math.max(0, n + queuedReviews + held.candidates - Math.floor(reach.players / 2)) : 0
  const reviews_ms = ((pace.review_ms ?? 0) * queuedReviews) / Math.max(1, reach.admitters)
  return { low: 0, high: afterStarts(n, n + 1.5 * beyond, rate).high + 2 * reviews_ms }
}

const ofEntry = (known: Known, version: Version): Forecast => {
  const { now, reach, state } = known
  if (version.phase === "suspended") return { waiting: waits("suspended"), next_match_eta_s: null }
  const next = inRound(known, version)
  const opens_ms = state.settings.submissions_open_at - now
  if (opens_ms > 0) return { waiting: waits("season_not_open", { low: opens_ms, high: opens_ms }), next_match_eta_s: null }
  if (!hasBoard(state)) return { waiting: waits("no_board"), next_match_eta_s: null }
  if (reach.players === 0) return { waiting: waits("no_runner"), next_match_eta_s: null }
  return { waiting: null, next_match_eta_s: next === null ? null : seconds(next) }
}

const hasBoard = (state: State): boolean => {
  for (const { enabled } of state.boards.values()) if (enabled) return true
  return false
}

/** The next match of the round that is played or, where that owes it none, of the next one. */
const inRound = (known: Known, version: Version): Span | null => {
  const { now, pace, state } = known
  const round = pendingRound(state)
  const found = onLadders(known, version)
  const starts_ms = round === undefined ? Infinity : round.starts_at - now
  if (starts_ms === Infinity || (found !== null && found.high < starts_ms)) return found
  let first: Span | null = null
  for (const ladder of laddersOf(state, version)) {
    const rate = rateOf(pace.starts[ladder.index]!, now)
    const seats = seatsOn(state, ladder)
    if (rate !== null && seats !== null) first = either(first, afterStarts(1, ladder.active / seats, rate))
  }
  if (first === null) return found
  const after = later(first, starts_ms)
  return found === null || found.low >= starts_ms ? after : { low: found.low, high: after.high }
}

const onLadders = (known: Known, version: Version): Span | null => {
  const { state } = known
  let next: Span | null = null
  for (const ladder of laddersOf(state, version)) {
    const rating = ladder.ratings.get(version.id)
    const virtual_games = state.round > 0 ? 0 : state.clock[ladder.index]!
    const failed = rating === undefined ? turnsAtEntry(state, ladder, entryOf(state, version)) : 0
    const turn = rating ?? { version: version.id, ord: version.ord, ladder_games: 0, virtual_games, failed, forfeits: 0 }
    next = either(next, ladderWait(known, ladder, turn, rating === undefined))
  }
  return next
}
