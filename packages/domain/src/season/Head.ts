/** The season's own row. */

import { LADDERS, type Ladder } from "./Rules.ts"
import { LOOK_MATCHES_MIN, type SeasonStarts } from "./rating/Starts.ts"

/** The one row per season that every commit rewrites. */
export interface Head extends SeasonStarts {
  phase: "open" | "closing" | "closed"
  now: number // newest time seen, ms; time goes back only where a clock was ahead (clock/Absence.ts)
  put_back: number // how often it did
  draws: number // random numbers drawn so far
  secret: string | null // of the seeds of its matches (Random.ts)
  clock: Array<number> // by ladder: the turns of the entry paired last that had fewest; in continuous play a new one starts with as many virtual games
  reached: number // the furthest turn at which a ladder was served since the last reset (scheduler/LadderTurns.ts)
  passed: Array<number> // by ladder: the turns that it does not make up for
  round: number // 0: continuous play
  expected: ReadonlyArray<number> // by index: the ladders that could play when the finals began
  versions: number // ever submitted; the last ord given
  matches: number // ever created; the last n given
  rated: number // counted matches
  voided: number // matches that counted until they were voided; with those that count, the last number of rating given
  active: number // entered versions, enabled baselines included
  testing: number
  to_void: ReadonlyArray<string> // disqualified versions whose matches are still to be voided
  close_requested_at: number | null
  closing_away_ms: number // for how long it was away since then
  checked: number | null // of a closing season: of how many of its `played` the replays are checked; null: nobody checks them
  closed_at: number | null
  podium: Readonly<Partial<Record<Ladder, ReadonlyArray<string>>>> | null // version ids of the top three
  fill_hour: number // the hour, since 1970, in which `fill_made` was counted
  fill_made: number
  series_at: number // when the last points of the series were taken
  series_rated: number // how often ratings had changed by then
  look_at: number | null // so many matches numbered: the spread of the field is looked at; null: not again in this round
  rescaled: number // how often ratings were computed again with other starts
  played: number // matches with a result, counted or not
  failing: Failing | null
  keys: ReadonlyArray<HeardKey> // keys with recent results, oldest first
  examiners: ReadonlyArray<HeardKey> // keys with recent verdicts, oldest first
  revoked: ReadonlyArray<{ readonly key: string; readonly at: number }> // recently revoked keys, oldest first
  unexamined: ReadonlyArray<Unexamined> // reviews that keys have lately failed, oldest first
  lapsed: ReadonlyArray<Lapsed> // keys whose leases came to nothing, the last one last
  candidates_ahead_ms: number // slot time that candidates have used beyond that of ladders (CandidateShare.ts)
  apart: ReadonlyArray<string> // candidates whose examination takes no slot from ladders, oldest first (CandidateShare.ts)
}

/** Failed matches since the last result. */
export interface Failing {
  readonly played: number // the head's `played` at that time
  readonly common: ReadonlyArray<string> | null // the versions that can have caused all of them; null while none had an entry as its cause
  readonly named?: ReadonlyArray<string> // the versions that runners named
  readonly since?: number // when the first of them failed
  readonly n?: number
}

/** A key that has brought something, and when. */
export interface HeardKey {
  readonly key: string
  readonly at: number
}

/** A review that a key reported as failed. */
export interface Unexamined {
  readonly key: string
  readonly version: string
  readonly at: number
}

/** Leases of a key that came to nothing, and for which it has not made good (key/Lapses.ts). */
export interface Lapsed {
  readonly key: string
  readonly n: number
  readonly at: number // of the last of them
}

export const freshHead = (): Head => ({
  phase: "open",
  now: 0,
  put_back: 0,
  draws: 0,
  secret: null,
  clock: LADDERS.map(() => 0),
  reached: 0,
  passed: LADDERS.map(() => 0),
  round: 0,
  expected: [],
  versions: 0,
  matches: 0,
  rated: 0,
  voided: 0,
  active: 0,
  testing: 0,
  to_void: [],
  close_requested_at: null,
  closing_away_ms: 0,
  checked: null,
  closed_at: null,
  podium: null,
  fill_hour: 0,
  fill_made: 0,
  series_at: 0,
  series_rated: 0,
  starts: [],
  learning: null,
  look_at: LOOK_MATCHES_MIN,
  rescaled: 0,
  played: 0,
  failing: null,
  keys: [],
  examiners: [],
  revoked: [],
  unexamined: [],
  lapsed: [],
  candidates_ahead_ms: 0,
  apart: []
})

/** The row of a season whose state has its fields among others. */
export const head = (state: Head): Head => ({
  phase: state.phase,
  now: state.now,
  put_back: state.put_back,
  draws: state.draws,
  secret: state.secret,
  clock: state.clock,
  reached: state.reached,
  passed: state.passed,
  round: state.round,
  expected: state.expected,
  versions: state.versions,
  matches: state.matches,
  rated: state.rated,
  voided: state.voided,
  active: state.active,
  testing: state.testing,
  to_void: state.to_void,
  close_requested_at: state.close_requested_at,
  closing_away_ms: state.closing_away_ms,
  checked: state.checked,
  closed_at: state.closed_at,
  podium: state.podium,
  fill_hour: state.fill_hour,
  fill_made: state.fill_made,
  series_at: state.series_at,
  series_rated: state.series_rated,
  starts: state.starts,
  learning: state.learning,
  look_at: state.look_at,
  rescaled: state.rescaled,
  played: state.played,
  failing: state.failing,
  keys: state.keys,
  examiners: state.examiners,
  revoked: state.revoked,
  unexamined: state.unexamined,
  lapsed: state.lapsed,
  candidates_ahead_ms: state.candidates_ahead_ms,
  apart: state.apart
})
