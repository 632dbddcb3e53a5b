/**
 * Which ratings a commit writes to their rows. A match moves four, and a rating's row is the dearest of all: the ladder is
 * read by an index over its mean, so every change of it is a new entry in three indexes. Up to `per_s` rows a second are
 * written by the commit that changed them, which is every row of a season that plays less than 500 matches a second.
 * Where more change, they wait for their turn, first come first, and what happens to a rating while it waits is written
 * once: leaderboards run behind by (ratings of the season / per_s) seconds, one second for 1,000 entries on two ladders.
 * From 10 s on the turns come quicker.
 *
 * Nothing rests on memory alone: while ratings wait, every commit keeps all that it changed in `rating_redo`. So the last
 * that is said of a rating there, if anything, is what the season last committed: a claim reads it in place of the row, and
 * the next life goes on where this one was.
 *
 * A round that begins changes every rating, and writes none: rows of an earlier round are read as reset. They follow in the
 * background, five times as many a second, after those that wait.
 */
import type { State, Writes } from "@agon/domain/season/State.ts"
import type { Standing } from "@agon/domain/season/rating/Standing.ts"

/** 4 % of a core of the database: a row takes 140,000 instructions, nearly all of them for its three indexes. */
export const RATINGS_PER_S = 2_000
const LAG_MAX_S = 10
/** How often, while ratings wait, a commit is made for them where nothing else asks for one, and how often what was kept of rows goes. */
const FLUSH_MS = 100
const SWEEP_MS = 1_000
/** Of resets, beside `per_s`; and how often a commit is made for them. */
const RESETS = 5
const RESET_MS = 50
/** A season that closes while rows are still to follow writes so many more: rows of a closed one may be of an earlier round for ever. */
const RESETS_AT_CLOSE = 20_000

/** What commit `seq` writes of ratings. */
export interface Turn {
  readonly written: ReadonlyArray<Standing>
  readonly redo: ReadonlyArray<Standing>
  /** Rows of `rating_redo` below this number are no longer needed. */
  readonly done: number | null
  /** No row in play is of an earlier round than the one that stands. */
  readonly followed: boolean
}

/** What a claim has found: the first commit that kept each rating, by ladder and version, and whether rows have yet to follow a round. */
export interface Found {
  readonly kept: ReadonlyMap<string, number>
  readonly behind: boolean
}
const NOTHING: Found = { kept: new Map(), behind: false }

export const placeOf = ({ ladder, version }: Pick<Standing, "ladder" | "version">): string => `${ladder} ${version}`

export class WaitingRatings {
  /** Ratings in memory that their rows do not say, by the number of the first such commit, in its order. */
  readonly #since = new Map<Standing, number>()
  readonly #per_s: number
  readonly #burst: number
  #left: number
  #at = 0
  #kept = false
  #swept_at = 0
  #found: Found
  #resets: number
  #most = 0 // that have waited since none did
  /** When the next ones should be written though nothing happens, ms; Infinity where none waits. */
  due: number
  /** Ratings that the last commit wrote for earlier ones: who read their rows since then has read old ones. */
  late: ReadonlyArray<Standing> = []

  constructor(per_s: number = RATINGS_PER_S, found: Found = NOTHING) {
    this.#per_s = per_s
    this.#found = found
    this.#kept = found.kept.size > 0
    this.due = this.#kept || found.behind ? 0 : Infinity
    this.#burst = Math.max(1, per_s * 0.25)
    this.#left = this.#burst
    this.#resets = this.#burst
  }

  turn(state: State, seq: number, now: number): Turn {
    this.#takeUp(state)
    const changed = [...state.writes.standings]
    const written = this.#atOnce(state, changed, seq)
    this.#fill(now)
    const late = this.#next(written, seq, state.phase === "open" ? Math.floor(this.#left) : Infinity)
    for (const standing of written) state.unwritten.delete(standing)
    this.late = [...late, ...this.#follow(state, written)]
    const waits_ms = state.unwritten.size > 0 ? RESET_MS : FLUSH_MS
    this.due = this.#since.size + state.unwritten.size === 0 ? Infinity : now + waits_ms
    const redo = this.#since.size === 0 ? [] : changed
    const done = this.#done(seq, now)
    if (!this.#kept) this.#swept_at = now
    this.#kept = this.#since.size > 0
    return { written, redo, done, followed: state.unwritten.size === 0 }
  }

  /** What waited when the last life ended waits on, as long as before. */
  #takeUp(state: State): void {
    const { kept } = this.#found
    if (kept.size === 0) return
    const standings = state.ladders.flatMap((ladder) => [...ladder.standings.values()])
    const waiting = standings.filter((standing) => standing.active && kept.has(placeOf(standing)))
    const since = waiting.map((standing) => [standing, kept.get(placeOf(standing))!] as const)
    for (const [standing, seq] of since.sort(([, a], [, b]) => a - b)) this.#since.set(standing, seq)
    this.#found = NOTHING
  }

  /** Rows that are of an earlier round, a few with each commit. Answers those that have moved in this one. */
  #follow({ phase, unwritten }: State, written: Array<Standing>): ReadonlyArray<Standing> {
    const moved: Array<Standing> = []
    const room = phase === "closed" ? RESETS_AT_CLOSE : Math.floor(this.#resets)
    let rows = 0
    for (const standing of unwritten) {
      if (rows >= room) break
      rows++
      unwritten.delete(standing)
      written.push(standing)
      if (this.#since.delete(standing)) moved.push(standing)
    }
    this.#resets = Math.max(0, this.#resets - rows)
    return moved
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
    this.#resets = Math.min(this.#burst, this.#resets + (RESETS * this.#per_s * passed_ms) / 1_000)
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

const changesMoreThanMatches = ({ inserted, rejected, rounds, versions }: Writes): boolean =>
  inserted.size + rejected.size + rounds.size + versions.size > 0
