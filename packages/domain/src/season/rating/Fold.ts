/**
 * Ratings rebuilt from the log of matches: from the start of a round on, every match that counts is rated
 * again by the code that rated it first, in the order of its number. The outcome is, to the last bit, what a
 * season would have computed without the matches that the log no longer has. A fold is built page by page,
 * beside the season, and compared with the rows: the seats, seeds and points that differ are its changes.
 * Folding again changes nothing.
 */
import { MET_KEPT } from "../../pairing/PairingBatch.ts"
import { initialRating, type Rating, START, takenOver } from "../../rating/Rating.ts"
import type { LoggedMatch, LogPage, LogPlace, Mean } from "../Log.ts"
import type { Ladder } from "../Rules.ts"
import { type InheritedRating, type RatingChange, ratingName, type SeriesPoint } from "./LadderRating.ts"
import { rateSeats } from "./LadderRatings.ts"
import { HISTORY_KEPT, remember } from "./Resets.ts"
import { type Starts, startIn } from "./Starts.ts"
import type { SeatChange } from "./Voided.ts"

/** One version's rating on one ladder according to the log, as of the last round that changed it. */
export interface Course extends Rating {
  readonly ladder: Ladder
  readonly version: string
  round: number
  trend: number | null
  played: number // in this round
  forfeits: number // consecutive
  met: Array<string> // the last opponents in matches made for this ladder, newest last
  seed: InheritedRating | null // the rating it inherited, if it did so since the fold began
  last: Array<Mean> // the last matches that changed it, in any round, oldest first
}

export interface Fold extends LogPlace {
  /** The first voided number of its round: series points before it stay. */
  readonly voided: number
  /** The deviations that ratings start with. */
  readonly starts: ReadonlyArray<Starts>
  /** The number of the last match folded in. */
  n: number
  /** Numbers up to `n` without a match: those matches no longer count and are not in the fold. */
  readonly missing: Set<number>
  readonly courses: Map<string, Course>
}

export interface Changes {
  readonly seats: Array<SeatChange>
  readonly seeds: Array<InheritedRating>
  readonly points: Array<SeriesPoint>
}

export const begin = ({ after, round }: LogPlace, starts: ReadonlyArray<Starts>, voided = 0): Fold => ({
  round,
  after,
  voided,
  starts,
  n: after,
  missing: new Set(),
  courses: new Map()
})

/** Folds a page in. `strike_limit`: the number of strikes at which a seat forfeits. */
export const fold = (to: Fold, { matches, points, seeds }: LogPage, strike_limit: number): Changes => {
  const changes: Changes = { seats: [], seeds: [], points: [] }
  const between = [...seeds, ...points].sort((a, b) => a.n - b.n || a.round - b.round || order(a) - order(b))
  let next = 0
  const until = (n: number): void => {
    for (; next < between.length && between[next]!.n < n; next++) {
      const each = between[next]!
      if ("of" in each) applySeed(to, each, changes)
      else retakePoint(to, each, changes)
    }
  }
  for (const match of matches) {
    until(match.rated_n)
    play(to, match, strike_limit, changes)
  }
  until(Infinity)
  return changes
}

/** The order at one number: inherited ratings, then series points. */
const order = (each: InheritedRating | SeriesPoint): number => ("of" in each ? each.ord : Infinity)

/** Adds a version that was in a round without a match in the log: the matches that changed it no longer count. */
export const reach = (to: Fold, ladder: Ladder, version: string, round: number): void => {
  const course = ensure(to, ladder, version, round)
  if (course.round < round) Object.assign(course, fresh(to, ladder, round))
}

const ensure = (to: Fold, ladder: Ladder, version: string, round: number): Course => {
  const name = ratingName(ladder, version)
  const known = to.courses.get(name)
  if (known !== undefined) return known
  const course: Course = { ladder, version, ...fresh(to, ladder, round), seed: null, last: [] }
  to.courses.set(name, course)
  return course
}

/** A round that has begun since its last change has reset it. */
const courseOf = (to: Fold, ladder: Ladder, version: string, round: number): Course => {
  const course = ensure(to, ladder, version, round)
  return course.round === round ? course : Object.assign(course, fresh(to, ladder, round))
}

const fresh = ({ starts }: Fold, ladder: Ladder, round: number) => ({
  ...initialRating(startIn(starts, round, ladder)),
  ...{ round, trend: null, played: 0, forfeits: 0, met: [] }
})

const play = (to: Fold, match: LoggedMatch, strike_limit: number, { seats: changed }: Changes): void => {
  const { id, ladder, rated_n, round, seats } = match
  for (let n = to.n + 1; n < rated_n; n++) to.missing.add(n)
  to.n = rated_n
  const ranks = seats.map(({ rank }) => rank)
  const on = (each: Ladder): ReadonlyArray<RatingChange> => {
    const courses = seats.map(({ version }) => courseOf(to, each, version, round))
    const moved = rateSeats(courses, ranks)
    courses.forEach((course, i) => {
      course.played++
      remember(course.last, { n: rated_n, round, mu: course.mu }, HISTORY_KEPT)
      if (each !== ladder) return
      course.forfeits = seats[i]!.strikes >= strike_limit ? course.forfeits + 1 : 0
      for (const { version } of seats) if (version !== course.version) remember(course.met, version, MET_KEPT)
    })
    return moved
  }
  const made = on(ladder)
  const open = ladder === "open" ? null : on("open")
  if (seats.every((seat, i) => same(seat.made, made[i]!) && same(seat.open, open?.[i] ?? null))) return
  changed.push(...seats.map(({ rank }, seat) => ({ match: id, seat, rank, made: made[seat]!, open: open?.[seat] ?? null })))
}

const same = (a: RatingChange | null, b: RatingChange | null): boolean =>
  a?.mu === b?.mu && a?.sigma === b?.sigma && a?.change === b?.change

const applySeed = (to: Fold, seed: InheritedRating, { seeds }: Changes): void => {
  const rating = takenOver(courseOf(to, seed.ladder, seed.of, seed.round), startIn(to.starts, seed.round, seed.ladder))
  const applied = { ...seed, ...rating }
  Object.assign(courseOf(to, seed.ladder, seed.version, seed.round), rating, { seed: applied, last: [] })
  if (seed.mu !== applied.mu || seed.sigma !== applied.sigma) seeds.push(applied)
}

/**
 * A series point as it would have been taken; in the first round there would be none before
 * the first match that counts.
 */
const retakePoint = ({ courses, n, round: first, voided }: Fold, point: SeriesPoint, { points }: Changes): void => {
  const { ladder, round, versions } = point
  const meanOf = (version: string): number => {
    const course = courses.get(ratingName(ladder, version))
    return course?.round === round ? course.mu : START.mu
  }
  const rows = n === 0 && round === first && point.n >= voided ? [] : versions.map((version) => ({ version, mu: meanOf(version) }))
  if (rows.length === versions.length && rows.every(({ mu }, i) => mu === point.mus[i])) return
  rows.sort((a, b) => b.mu - a.mu || (a.version < b.version ? -1 : 1))
  points.push({ ...point, versions: rows.map(({ version }) => version), mus: rows.map(({ mu }) => mu) })
}
