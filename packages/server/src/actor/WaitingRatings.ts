/**
 * Decides which ratings a commit writes to their rows. A match moves four, and a rating's row is the most
 * expensive row of all: the ladder is read by an index over its mean, so every change of it is a new entry in
 * three indexes. Up to `per_s` rows a second are written by the commit that changed them, which is every row
 * of a season that plays less than 500 matches a second. Beyond that rate, changed ratings wait in a FIFO
 * queue, and however often a rating changes while it waits, it is written once: leaderboards lag by (ratings
 * of the season / per_s) seconds, one second for 1,000 entries on two ladders. Where that would exceed 10 s,
 * the queue is drained faster.
 *
 * Nothing depends on memory alone: while ratings wait, every commit also keeps all ratings that it changed in
 * `rating_redo`. The last record of a rating there, if any, is its value at the season's last commit: a claim
 * reads it in place of the row, and the next incarnation continues the queue.
 *
 * The start of a round changes every rating but writes none: rows of an earlier round are read as reset. They
 * are rewritten in the background, at five times the rate, after the ratings that wait. After a slow commit
 * of such rows no more of them are written for a while: the database's disk is busy, each row costs it some 2
 * KB of log, and callers of the season wait for the same disk.
 */

import { type LadderRating, ratingNumber } from "@agon/domain/season/rating/LadderRating.ts"
import type { State } from "@agon/domain/season/State.ts"
import type { Writes } from "@agon/domain/season/Writes.ts"

/** 4 % of a core of the database: a row takes 140,000 instructions, nearly all of them for its three indexes. */
export const RATINGS_PER_S = 2_000
const LAG_MAX_S = 10
/**
 * While ratings wait: how often a commit is made for them if nothing else causes one, or as soon as the rate
 * allows a row where that is later; and how often obsolete redo rows are deleted.
 */
const FLUSH_MS = 100
const SWEEP_MS = 1_000
/** Resets a second, as a multiple of `per_s`; and how often a commit is made for them. */
const RESETS = 5
const RESET_MS = 50
/**
 * After a commit of resets slower than this, resets pause for a multiple of the time that it took: at worst
 * 500 of them are written in 5 s.
 */
export const SLOW_MS = 100
const PAUSES = 4
const PAUSE_MAX_MS = 5_000
/**
 * Reset rows that the close of a season still writes; in a closed season the remaining ones keep
 * their earlier round for ever.
 */
const RESETS_AT_CLOSE = 20_000

/** The ratings that commit `seq` writes. */
export interface Turn {
  readonly written: ReadonlyArray<LadderRating>
  readonly redo: ReadonlyArray<LadderRating>
  /** Rows of `rating_redo` below this number are no longer needed. */
  readonly done: number | null
  /** No row in play is of a round earlier than the current one. */
  readonly followed: boolean
}

/**
 * The state found by a claim: the first commit that kept each rating, by its `ratingNumber`, and whether
 * rows of an earlier round remain.
 */
export interface Found {
  readonly kept: ReadonlyMap<number, number>
  readonly behind: boolean
  /** How often the ratings had been computed again with other starts. */
  readonly rescaled: number
}
const NOTHING: Found = { kept: new Map(), behind: false, rescaled: 0 }

export class WaitingRatings {
  /** Ratings whose rows are out of date, by the number of the first commit not written to the row, in that order. */
  readonly #since = new Map<LadderRating, number>()
  readonly #per_s: number
  readonly #burst: number
  readonly #slow_ms: number
  #left: number
  #at = 0
  #kept = false
  #swept_at = 0
  #found: Found
  #resets: number
  #has_reset = false // in the last commit
  #paused_until = -Infinity
  /** Those taken up whose rows may be of an earlier round, though what was kept of them is not. */
  readonly #older = new Set<LadderRating>()
  #rescaled: number // by the last commit
  #most = 0 // the most that have waited at once since the queue was last empty
  /** When the next ones should be written even if nothing else happens, ms; Infinity where none waits. */
  due: number
  /** Ratings that the last commit wrote on behalf of earlier ones: their rows were out of date until then. */
  late: ReadonlyArray<LadderRating> = []

  constructor(per_s: number = RATINGS_PER_S, found: Found = NOTHING, slow_ms = Infinity) {
    this.#per_s = per_s
    this.#slow_ms = slow_ms
    this.#found = found
    this.#rescaled = found.rescaled
    this.#kept = found.kept.size > 0
    this.due = this.#kept || found.behind ? 0 : Infinity
    this.#burst = Math.max(1, per_s * 0.25)
    this.#left = this.#burst
    this.#resets = this.#burst
  }

  turn(state: State, seq: number, now: number): Turn {
    this.#takeUp(state)
    const changed = [...state.writes.ratings]
    const written = this.#atOnce(state, changed, seq)
    this.#fill(now)
    const late = this.#next(written, seq, state.phase === "open" ? Math.floor(this.#left) : Infinity)
    for (const rating of written) state.unwritten.delete(rating)
    this.late = [...late, ...this.#follow(state, written, now)]
    for (const rating of written) this.#older.delete(rating)
    this.due = this.#dueAfter(now, state)
    const redo = this.#since.size === 0 ? [] : [...changed, ...this.#restarted(state)]
    const done = this.#done(seq, now)
    if (!this.#kept) this.#swept_at = now
    this.#kept = this.#since.size > 0
    return { written, redo, done, followed: state.unwritten.size + this.#older.size === 0 }
  }

  /**
   * The store made the last commit in so many ms, until `now`. Slow ones without resets pause nothing,
   * or resets would wait for ever.
   */
  took(ms: number, now: number): void {
    if (ms <= this.#slow_ms || !this.#has_reset) return
    this.#paused_until = now + Math.min(PAUSES * ms, PAUSE_MAX_MS)
    if (this.#since.size === 0 && this.due < Infinity) this.due = this.#paused_until
  }

  /** A clock that was set back ends the pause. */
  #pauses(now: number): boolean {
    return now < this.#paused_until && now >= this.#paused_until - PAUSE_MAX_MS
  }

  #dueAfter(now: number, { unwritten }: State): number {
    if (this.#since.size + unwritten.size === 0) return Infinity
    const reset =
      unwritten.size > 0 && !this.#pauses(now) ? now + Math.max(RESET_MS, untilOne(this.#resets, RESETS * this.#per_s)) : Infinity
    const flush = this.#since.size > 0 ? now + Math.max(FLUSH_MS, untilOne(this.#left, this.#rate())) : Infinity
    const next = Math.min(reset, flush)
    return next < Infinity ? next : this.#paused_until
  }

  /** Rows a second. */
  #rate(): number {
    return Math.max(this.#per_s, this.#most / LAG_MAX_S)
  }

  /** The ratings that waited when the last incarnation ended keep their place and waiting time. */
  #takeUp(state: State): void {
    const { behind, kept } = this.#found
    if (kept.size === 0) return
    const ratings = state.ladders.flatMap((ladder) => [...ladder.ratings.values()])
    const waiting = ratings.filter((rating) => rating.active && kept.has(ratingNumber(rating)))
    const since = waiting.map((rating) => [rating, kept.get(ratingNumber(rating))!] as const)
    for (const [rating, seq] of since.sort(([, a], [, b]) => a - b)) this.#since.set(rating, seq)
    for (const rating of behind ? this.#since.keys() : []) this.#older.add(rating)
    this.#found = NOTHING
  }

  /**
   * With other starts, ratings that nothing has changed since the round began move without a write, since their rows are read as reset.
   * One that waits was kept with the start before.
   */
  #restarted({ rescaled, unwritten, writes }: State): ReadonlyArray<LadderRating> {
    if (rescaled === this.#rescaled) return []
    this.#rescaled = rescaled
    return [...this.#since.keys()].filter((rating) => unwritten.has(rating) && !writes.ratings.has(rating))
  }

  /** Rewrites a few rows of an earlier round with each commit. Answers those that have changed in the current round. */
  #follow({ phase, unwritten }: State, written: Array<LadderRating>, now: number): ReadonlyArray<LadderRating> {
    const moved: Array<LadderRating> = []
    const most = this.#pauses(now) ? 0 : Math.floor(this.#resets)
    const room = phase === "closed" ? RESETS_AT_CLOSE : most
    let rows = 0
    for (const rating of unwritten) {
      if (rows >= room) break
      rows++
      unwritten.delete(rating)
      written.push(rating)
      if (this.#since.delete(rating)) moved.push(rating)
    }
    this.#resets = Math.max(0, this.#resets - rows)
    this.#has_reset = rows > 0
    return moved
  }

  /** New rows, rows that decide who is listed at all, and rows that nothing will change again never wait. */
  #atOnce(state: State, changed: ReadonlyArray<LadderRating>, seq: number): Array<LadderRating> {
    const all = changesMoreThanMatches(state.writes)
    const written: Array<LadderRating> = []
    for (const rating of changed) {
      if (all || !rating.active) {
        this.#since.delete(rating)
        written.push(rating)
      } else if (!this.#since.has(rating)) this.#since.set(rating, seq)
    }
    return written
  }

  #fill(now: number): void {
    this.#most = this.#since.size === 0 ? 0 : Math.max(this.#most, this.#since.size)
    const per_s = this.#rate()
    const passed_ms = Math.max(0, now - this.#at) // a clock that was set back adds no tokens
    this.#left = Math.min(Math.max(this.#burst, per_s / 4), this.#left + (per_s * passed_ms) / 1_000)
    this.#resets = Math.min(this.#burst, this.#resets + (RESETS * this.#per_s * passed_ms) / 1_000)
    this.#at = now
  }

  #next(written: Array<LadderRating>, seq: number, room: number): ReadonlyArray<LadderRating> {
    const late: Array<LadderRating> = []
    let rows = 0
    for (const [rating, since] of this.#since) {
      if (rows >= room) break
      rows++
      this.#since.delete(rating)
      written.push(rating)
      if (since < seq) late.push(rating)
    }
    this.#left = Math.max(0, this.#left - rows)
    return late
  }

  /** Everything, once nothing waits; until then, from time to time, the rows before the oldest rating that waits. */
  #done(seq: number, now: number): number | null {
    if (!this.#kept || (this.#since.size > 0 && now - this.#swept_at < SWEEP_MS)) return null
    this.#swept_at = now
    const [oldest = seq + 1] = this.#since.values()
    return oldest
  }
}

/** How long until there is a whole token, ms. */
const untilOne = (tokens: number, per_s: number): number => Math.max(0, Math.ceil(((1 - tokens) * 1_000) / per_s))

const changesMoreThanMatches = ({ inserted, rejected, rounds, versions }: Writes): boolean =>
  inserted.size + rejected.size + rounds.size + versions.size > 0
