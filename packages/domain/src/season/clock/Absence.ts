/**
 * A season's absence (its service stopped or stood still, or it moved) costs nobody time: runners with work could not send
 * heartbeats, and uploads could not be confirmed. Once it is back, a lease lasts as long as a new one, and an
 * upload window keeps the time it had left when the season was last active. Nor does the absence count for
 * the longest life of a lease, for the day in which finals are tried in vain, or for the minute in which a
 * season closes. A time written by a clock that was far ahead is corrected.
 */
import { renewedUntil } from "../Lease.ts"
import type { State } from "../State.ts"
import { nextRetake } from "../scheduler/Retaking.ts"
import { findStragglers } from "../scheduler/Stragglers.ts"
import { STRUCK_OUT, type Try } from "../scheduler/Tries.ts"

/** Called before the first step of a restored season, and of one whose process goes on. No trusted clock can have shown more than `latest`. */
export const returned = (state: State, { latest, now }: { readonly now: number; readonly latest: number }): void => {
  if (state.now > latest) {
    putBack(state, now)
    state.writes.head = true
  }
  const at = Math.max(now, state.now) // the host's clock may be behind: time does not go back
  const away_ms = at - state.now
  if (away_ms > 0) leaveLonger(state, away_ms)
  state.leaseEnd = Infinity
  for (const work of [...state.live.values(), ...state.reviews.values()]) {
    if (work.until === null) continue
    // An earlier release wrote no start.
    const leased_at = Math.min((work.leased_at ?? state.now) + away_ms, at)
    const until = renewedUntil(state.settings.rules, { ...work, leased_at }, at)
    if (work.until !== until || work.leased_at !== leased_at) {
      Object.assign(work, { leased_at, until })
      if ("versions" in work) state.writes.live.add(work.id)
      else state.writes.reviews.add(work.version)
    }
    state.leaseEnd = Math.min(state.leaseEnd, until)
  }
  findStragglers(state)
  if (away_ms === 0) return
  if (state.failing?.since !== undefined) {
    state.failing = { ...state.failing, since: state.failing.since + away_ms }
    state.writes.head = true
  }
  if (state.phase === "closing") {
    state.closing_away_ms += away_ms // its podium is final: matches and voids get their minute
    state.writes.head = true
  }
  state.uploadEnd = Infinity
  for (const version of state.versions_by_id.values()) {
    if (version.upload_until === null) continue
    version.upload_until += away_ms
    state.uploadEnd = Math.min(state.uploadEnd, version.upload_until)
    state.writes.versions.add(version.id)
  }
}

/** Keys leave models that they judged, and trial matches that were failed under them, to others, and these were away as well. */
const leaveLonger = (state: State, away_ms: number): void => {
  moveOpinions(state, (at) => at + away_ms)
  moveTries(state, ({ at, reason }) => (reason === STRUCK_OUT ? at + away_ms : at))
  state.againEnd = nextRetake(state)
}

const moveOpinions = (state: State, moved: (at: number) => number): void => {
  for (const review of state.reviews.values()) {
    if (review.opinions.length === 0) continue
    review.opinions = review.opinions.map((each) => ({ ...each, at: moved(each.at) }))
    state.writes.reviews.add(review.version)
  }
}

const moveTries = (state: State, moved: (each: Try) => number): void => {
  for (const match of state.live.values()) {
    if (match.tries.every((each) => moved(each) === each.at)) continue
    match.tries = match.tries.map((each) => ({ ...each, at: moved(each) }))
    state.writes.live.add(match.id)
  }
}

/**
 * The times from which a season waits, as well: it would wait until they are reached again. Planned times stay: people have named
 * the openings and starts of rounds.
 */
const putBack = (state: State, now: number): void => {
  const notLater = (at: number) => Math.min(at, now)
  const seen = <A extends { readonly at: number }>(each: A): A => ({ ...each, at: notLater(each.at) })
  state.now = now
  state.put_back++ // what was counted up to an instant, or kept, is to be counted again (server/src/match/list/seasonCounts.ts)
  state.series_at = notLater(state.series_at)
  if (state.close_requested_at !== null) state.close_requested_at = notLater(state.close_requested_at)
  if (state.failing?.since !== undefined) state.failing = { ...state.failing, since: notLater(state.failing.since) }
  state.keys = state.keys.map(seen)
  state.examiners = state.examiners.map(seen)
  state.revoked = state.revoked.map(seen)
  state.unexamined = state.unexamined.map(seen)
  state.lapsed = state.lapsed.map(seen)
  moveTries(state, ({ at }) => notLater(at))
  moveOpinions(state, notLater)
  state.againEnd = nextRetake(state)
  for (const owner of state.owners.values())
    if (owner.last_submitted_at !== null) owner.last_submitted_at = notLater(owner.last_submitted_at)
  putBackUploads(state, now + state.settings.rules.upload_window_s * 1000)
}

/** No upload window ends later than a new one. */
const putBackUploads = (state: State, latest: number): void => {
  for (const version of state.candidates) {
    if (version.upload_until === null || version.upload_until <= latest) continue
    version.upload_until = latest
    state.uploadEnd = Math.min(state.uploadEnd, latest)
    state.writes.versions.add(version.id)
  }
}
