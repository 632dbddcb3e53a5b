/**
 * The rows of a season and the state built from them. Everything in `State` is either a row or derived from
 * rows, so `restore(snapshot(state))` behaves as `state` does: the simulation checks it. Work that has ended
 * is not in the state: the answer to a repeated result follows from the row it left (`answerAgain`).
 *
 * The scheduler and the rating engine own their rows, as types beside their rules (scheduler/Match.ts,
 * rating/LadderRating.ts). Rows that several folders write are defined up here: versions (Version.ts),
 * ladders (Ladders.ts) and rounds (Round.ts).
 */
import type { Audit } from "./Audit.ts"
import type { Event } from "./Event.ts"
import { addRating, emptyLadders, fillHeap, type LadderState, ladderNamed, ladderOf } from "./Ladders.ts"
import { hashText } from "./Random.ts"
import type { FaultReason } from "./Reasons.ts"
import type { Round } from "./Round.ts"
import { LADDERS, type Ladder, type Settings } from "./Rules.ts"
import type { InheritedRating, LadderRating, LadderRatingRow, SeriesPoint } from "./rating/LadderRating.ts"
import { followed } from "./rating/Resets.ts"
import { LOOK_MATCHES_MIN, type SeasonStarts, startIn } from "./rating/Starts.ts"
import type { SeatChange, Voided, Voiding } from "./rating/Voided.ts"
import type { Board, Ended, OpenMatch } from "./scheduler/Match.ts"
import { nextAgain } from "./scheduler/Tries.ts"
import type { Review, Version } from "./Version.ts"
import { type Counts, count, countLeft, everyLeft, type Left } from "./VersionCounts.ts"

/** How long running matches may go on once a season is closing. */
export const CLOSING_MS = 60_000

/** For how long after that its podium waits for the check of their replays. */
export const CHECKING_MS = 30_000

/** The one row per season that every commit rewrites. */
export interface Head extends SeasonStarts {
  phase: "open" | "closing" | "closed"
  now: number // newest time seen, ms; time never goes back
  draws: number // random numbers drawn so far
  secret: string | null // of the seeds of its matches (Random.ts)
  clock: Array<number> // by ladder: the virtual games that a new entry starts with
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
  keys: ReadonlyArray<{ readonly key: string; readonly at: number }> // keys with recent results, oldest first
  revoked: ReadonlyArray<{ readonly key: string; readonly at: number }> // recently revoked keys, oldest first
}

/** Failed matches since the last result. */
export interface Failing {
  readonly played: number // the head's `played` at that time
  readonly common: ReadonlyArray<string> // the versions that sat in all of them
  readonly named?: ReadonlyArray<string> // the versions that runners named
  readonly since?: number // when the first of them failed
  readonly n?: number
}

/** Rows changed since the last commit. Rows are named, not copied: no step runs while a commit is in flight. */
export interface Writes {
  head: boolean // the season's one row, even if no other changed
  settings: boolean
  readonly inserted: Map<string, { readonly note: string | null }> // new versions
  readonly versions: Set<string>
  readonly rejected: Map<string, Version> // rejected versions that the state no longer holds
  readonly left: Map<string, Version> // superseded versions that the state no longer holds
  readonly ratings: Set<LadderRating>
  readonly boards: Set<string>
  readonly newBoards: Map<string, { readonly file: unknown }>
  readonly boardPeriods: Array<{ readonly board: string; readonly enabled: boolean; readonly at: number }>
  readonly rounds: Set<number>
  readonly live: Set<string>
  readonly newLive: Set<string> // those of them created since the last commit
  readonly reviews: Set<string>
  readonly ended: Array<Ended>
  readonly failedTries: Array<FaultReason> // attempts at matches that came to nothing; counted, not written
  readonly voided: Array<Voided>
  readonly voiding: Set<string>
  readonly rerated: Array<SeatChange> // all seats of a match, or none
  readonly seeds: Array<InheritedRating>
  readonly series: Array<SeriesPoint>
  readonly audits: Array<Audit & { readonly at: number }>
}

export interface State extends Head, Counts<Version> {
  readonly id: string
  readonly hash: number // of the id: seeds the generator
  settings: Settings
  readonly versions_by_id: Map<string, Version>
  readonly ladders: ReadonlyArray<LadderState>
  readonly boards: Map<string, Board>
  readonly rounds: Array<Round>
  readonly live: Map<string, OpenMatch>
  readonly reviews: Map<string, Review>
  readonly voiding: Map<string, Voiding> // by match
  trials: Array<string> // queued trial matches, oldest first
  leaseEnd: number // no lease ends before this
  uploadEnd: number // no upload window ends before this
  againEnd: number // no key may take a match that it reported unplayable again before this
  workAppeared: boolean // there may now be work for a runner that was told there was none
  recheckQueue: boolean // something that queued matches depend on has changed: `settle` withdraws those that may no longer start
  readonly unwritten: Set<LadderRating> // in play, reset since their rows were written (a row of an earlier round is read as reset)
  readonly movedTrials: Set<string> // candidates whose trial has moved: `settle` goes on with it
  readonly writes: Writes
  events: Array<Event>
}

export interface Snapshot {
  readonly id: string
  readonly head: Head
  readonly settings: Settings
  readonly versions: ReadonlyArray<Version>
  readonly left: ReadonlyArray<Left>
  readonly owners: ReadonlyArray<{ readonly id: string; readonly last_submitted_at: number | null }>
  readonly ratings: ReadonlyArray<LadderRatingRow>
  readonly boards: ReadonlyArray<Board>
  readonly rounds: ReadonlyArray<Round>
  readonly live: ReadonlyArray<OpenMatch>
  readonly reviews: ReadonlyArray<Review>
  readonly voiding: ReadonlyArray<Voiding>
}

export const freshHead = (): Head => ({
  phase: "open",
  now: 0,
  draws: 0,
  secret: null,
  clock: LADDERS.map(() => 0),
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
  revoked: []
})

const emptyWrites = (): Writes => ({
  head: false,
  settings: false,
  inserted: new Map(),
  versions: new Set(),
  rejected: new Map(),
  left: new Map(),
  ratings: new Set(),
  boards: new Set(),
  newBoards: new Map(),
  boardPeriods: [],
  rounds: new Set(),
  live: new Set(),
  newLive: new Set(),
  reviews: new Set(),
  ended: [],
  failedTries: [],
  voided: [],
  voiding: new Set(),
  rerated: [],
  seeds: [],
  series: [],
  audits: []
})

/** The state takes ownership of the rows: copying those of 100,000 entries would take long. */
export const restore = (from: Snapshot): State => {
  const state: State = {
    ...freshHead(), // a head written before a counter was introduced lacks it
    ...structuredClone(from.head),
    id: from.id,
    hash: hashText(from.id),
    settings: from.settings,
    versions_by_id: new Map(from.versions.map((row) => [row.id, row])),
    owners: new Map(from.owners.map(({ id, last_submitted_at }) => [id, { last_submitted_at, models: 0, testing: [] }])),
    models: new Map(),
    weights: new Map(),
    candidates: new Set(),
    ladders: emptyLadders(),
    boards: new Map(from.boards.toSorted((a, b) => a.ord - b.ord).map((row) => [row.id, { ...row, used: [...row.used] }])),
    rounds: from.rounds.map((row) => ({ ...row })).sort((a, b) => a.n - b.n),
    live: new Map(from.live.toSorted((a, b) => a.n - b.n).map((row) => [row.id, { ...row }])),
    reviews: new Map(from.reviews.map((row) => [row.version, { ...row }])),
    voiding: new Map(from.voiding.map((row) => [row.match, row])),
    trials: [],
    leaseEnd: earliest([...from.live, ...from.reviews].map((row) => row.until)),
    uploadEnd: earliest(from.versions.map((row) => row.upload_until)),
    againEnd: Infinity,
    workAppeared: false,
    recheckQueue: false,
    unwritten: new Set(),
    movedTrials: new Set(),
    writes: emptyWrites(),
    events: []
  }
  for (const version of state.versions_by_id.values()) count(state, version)
  for (const left of from.left) countLeft(state, left)
  const suspended = new Set(from.versions.filter(({ phase }) => phase === "suspended").map(({ id }) => id))
  for (const row of from.ratings) {
    if (hasLeft(state.versions_by_id.get(row.version), row.ladder)) continue
    const rating = { ...row, key: 0, busy: false, suspended: suspended.has(row.version) }
    if (followed(rating, state.rounds, state.round, startIn(state.starts, state.round, rating.ladder))) state.unwritten.add(rating)
    addRating(ladderNamed(state, rating.ladder), rating)
  }
  for (const match of state.live.values()) {
    const ladder = ladderOf(state, match)
    if (match.until === null) (ladder?.queue ?? state.trials).push(match.id)
    else if (ladder !== undefined) ladder.playing++
  }
  for (const ladder of state.ladders) fillHeap(state, ladder)
  state.againEnd = nextAgain(state)
  return state
}

/** Whether a row is on the ladder of another class than the version's: its season was edited (entry/Baselines.ts). */
const hasLeft = (version: Version | undefined, ladder: Ladder): boolean =>
  ladder !== "open" && version !== undefined && version.class !== null && version.class !== ladder

const earliest = (times: ReadonlyArray<number | null>): number =>
  times.reduce<number>((first, time) => Math.min(first, time ?? Infinity), Infinity)

export const head = (state: State): Head => ({
  phase: state.phase,
  now: state.now,
  draws: state.draws,
  secret: state.secret,
  clock: state.clock,
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
  revoked: state.revoked
})

/** The rows as they would be read back. Tests use it to compare a state with its restored copy. */
export const snapshot = (state: State): Snapshot => ({
  id: state.id,
  head: head(state),
  settings: state.settings,
  versions: [...state.versions_by_id.values()],
  left: everyLeft(state),
  owners: [...state.owners].map(([id, { last_submitted_at }]) => ({ id, last_submitted_at })),
  ratings: state.ladders.flatMap((ladder) =>
    [...ladder.ratings.values()].map(({ key: _key, busy: _busy, suspended: _suspended, ...row }) => row)
  ),
  boards: [...state.boards.values()],
  rounds: state.rounds,
  live: [...state.live.values()],
  reviews: [...state.reviews.values()],
  voiding: [...state.voiding.values()]
})

/** The commit succeeded: nothing is left to write. */
export const committed = (state: State): void => {
  const { writes } = state
  writes.head = false
  writes.settings = false
  for (const rows of [writes.inserted, writes.rejected, writes.left, writes.newBoards]) rows.clear()
  for (const rows of [writes.versions, writes.boards, writes.live, writes.newLive, writes.reviews, writes.voiding]) rows.clear()
  writes.ratings.clear()
  writes.rounds.clear()
  for (const rows of [
    writes.boardPeriods,
    writes.ended,
    writes.failedTries,
    writes.voided,
    writes.rerated,
    writes.seeds,
    writes.series,
    writes.audits
  ])
    rows.length = 0
  state.events = []
}
