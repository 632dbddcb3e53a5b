/**
 * The rows of a season and the state built from them. Everything in `State` is either a row or derived from
 * rows, so `restore(snapshot(state))` behaves as `state` does: the simulation checks it. Work that has ended
 * is not in the state: the answer to a repeated result follows from the row it left (`answerAgain`).
 *
 * The scheduler and the rating engine own their rows, as types beside their rules (scheduler/Match.ts,
 * rating/LadderRating.ts). Rows that several folders write are defined up here: the season's own (Head.ts),
 * versions (Version.ts), ladders (Ladders.ts) and rounds (Round.ts).
 */
import type { Event } from "./Event.ts"
import { freshHead, type Head, head } from "./Head.ts"
import { addRating, emptyLadders, fillHeap, type LadderState, ladderNamed, ladderOf } from "./Ladders.ts"
import { hashText } from "./Random.ts"
import type { Round } from "./Round.ts"
import type { Ladder, Settings } from "./Rules.ts"
import type { LadderRating, LadderRatingRow } from "./rating/LadderRating.ts"
import { followed } from "./rating/Resets.ts"
import { startIn } from "./rating/Starts.ts"
import type { Voiding } from "./rating/Voided.ts"
import type { Board, OpenMatch } from "./scheduler/Match.ts"
import { nextRetake } from "./scheduler/Retaking.ts"
import { findStragglers } from "./scheduler/Stragglers.ts"
import type { Review, Version } from "./Version.ts"
import { type Counts, count, countLeft, everyLeft, type Left } from "./VersionCounts.ts"
import { emptyWrites, type Writes } from "./Writes.ts"

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
  trials: Set<string> // queued trial matches, oldest first; there may be tens of thousands
  leaseEnd: number // no lease ends before this
  uploadEnd: number // no upload window ends before this
  stragglerAt: number // no leased match becomes a straggler before this
  againEnd: number // no key may take work that it has left to others again before this
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
    trials: new Set(),
    leaseEnd: earliest([...from.live, ...from.reviews].map((row) => row.until)),
    uploadEnd: earliest(from.versions.map((row) => row.upload_until)),
    stragglerAt: Infinity,
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
    if (match.until !== null) {
      if (ladder !== undefined) ladder.playing++
    } else if (ladder === undefined) state.trials.add(match.id)
    else ladder.queue.push(match.id)
  }
  for (const ladder of state.ladders) fillHeap(state, ladder)
  state.againEnd = nextRetake(state)
  findStragglers(state)
  return state
}

/** Whether a row is on the ladder of another class than the version's: its season was edited (entry/Baselines.ts). */
const hasLeft = (version: Version | undefined, ladder: Ladder): boolean =>
  ladder !== "open" && version !== undefined && version.class !== null && version.class !== ladder

const earliest = (times: ReadonlyArray<number | null>): number =>
  times.reduce<number>((first, time) => Math.min(first, time ?? Infinity), Infinity)

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
