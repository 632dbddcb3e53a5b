/**
 * Which ratings a commit writes to their rows. A match moves four, and a rating's row is the dearest of all: the ladder is
 * read by an index over its mean, so every change of it is a new entry in three indexes. Up to `per_s` rows a second are
 * written by the commit that changed them, which is every row of a season that plays less than 500 matches a second.
 * Where more change, they wait for their turn, first come first, and what happens to a rating while it waits is written
 * once: leaderboards run behind by (ratings of the season / per_s) seconds, one second for 1,000 entries on two ladders.
 * From 10 s on the turns come quicker.
 *
 * Nothing rests on memory alone: while ratings wait, every commit keeps all that it changed in `rating_redo`. So the last
 * that is said of a rating there, if anything, is what the season last committed, and a claim that finds something there
 * brings the rows up to date before it reads them.
 */
import type { Standing, State, Writes } from "@agon/domain/season/State.ts"

/** 4 % of a core of the database: a row takes 140,000 instructions, nearly all of them for its three indexes. */
export const RATINGS_PER_S = 2_000
const LAG_MAX_S = 10
/** How often, while ratings wait, a commit is made for them where nothing else asks for one, and how often redone rows go. */
const FLUSH_MS = 100
const SWEEP_MS = 1_000

/** What commit `seq` writes of ratings. */
export interface Turn {
  readonly written: ReadonlyArray<Standing>
  readonly redo: ReadonlyArray<Standing>
  /** Rows of `rating_redo` below this number are no longer needed. */
  readonly done: number | null
}

export class WaitingRatings {
  /** Ratings in memory that their rows do not say, by the number of the first such commit, in its order. */
  readonly #since = new Map<Standing, number>()
  readonly #per_s: number
  readonly #burst: number
  #left: number
  #at = 0
  #kept = false
  #swept_at = 0
  #most = 0 // that have waited since none did
  /** When the next ones should be written though nothing happens, ms; Infinity where none waits. */
  due = Infinity
  /** Ratings that the last commit wrote for earlier ones: who read their rows since then has read old ones. */
  late: ReadonlyArray<Standing> = []

  constructor(per_s: number = RATINGS_PER_S) {
    this.#per_s = per_s
    this.#burst = Math.max(1, per_s * 0.25)
    this.#left = this.#burst
  }

  turn(state: State, seq: number, now: number): Turn {
    const changed = [...state.writes.standings]
    const written = this.#atOnce(state, changed, seq)
    this.#fill(now)
    this.late = this.#next(written, seq, state.phase === "open" ? Math.floor(this.#left) : Infinity)
    this.due = this.#since.size === 0 ? Infinity : now + FLUSH_MS
    const redo = this.#since.size === 0 ? [] : changed
    const done = this.#done(seq, now)
    if (!this.#kept) this.#swept_at = now
    this.#kept = this.#since.size > 0
    return { written, redo, done }
  }

  /** Rows that are new, or decide who is read at all, never wait; nor do those that nothing will change again. */
  #atOnce(state: State, changed: ReadonlyArray<Standing>, seq: number): Array<Standing> {
    const all = changesMoreThanMatches(state.writes)
    const written: Array<Standing> = []
    for (const standing of changed) {
      if (all || !standing.active) {
        this.#since.delete(standing)
        written.push(standing)
      } else if (!this.#since.has(standing)) this.#since.set(standing, seq)
    }
    return written
  }

  #fill(now: number): void {
    this.#most = this.#since.size === 0 ? 0 : Math.max(this.#most, this.#since.size)
    const per_s = Math.max(this.#per_s, this.#most / LAG_MAX_S)
    const passed_ms = Math.max(0, now - this.#at) // a clock that was put back fills nothing
    this.#left = Math.min(Math.max(this.#burst, per_s / 4), this.#left + (per_s * passed_ms) / 1_000)
    this.#at = now
  }

  #next(written: Array<Standing>, seq: number, room: number): ReadonlyArray<Standing> {
    const late: Array<Standing> = []
    let rows = 0
    for (const [standing, since] of this.#since) {
      if (rows >= room) break
      rows++
      this.#since.delete(standing)
      written.push(standing)
      if (since < seq) late.push(standing)
    }
    this.#left = Math.max(0, this.#left - rows)
    return late
  }

  /** Everything, once nothing waits; until then, now and then, what came before the oldest that does. */
  #done(seq: number, now: number): number | null {
    if (!this.#kept || (this.#since.size > 0 && now - this.#swept_at < SWEEP_MS)) return null
    this.#swept_at = now
    const [oldest = seq + 1] = this.#since.values()
    return oldest
  }
}

const changesMoreThanMatches = ({ inserted, rejected, rounds, versions, voided }: Writes): boolean =>
  inserted.size + rejected.size + rounds.size + versions.size > 0 || voided !== null
