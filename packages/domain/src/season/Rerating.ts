/**
 * Ratings as if a match had never been: every match of its round since then is rated again, by the same formula and from
 * the same numbers, so that what comes out is to the last bit what would have come without it.
 */
import { type Rating, rated, START, takenOver } from "../rating/Rating.ts"
import type { Log, LoggedMatch } from "./Log.ts"
import { type Ladder, LADDERS } from "./Rules.ts"
import type { Moved, Seed } from "./State.ts"

/** What one version went through on one ladder since the voided match, that left out. */
export interface Course {
  readonly ladder: Ladder
  readonly version: string
  readonly seed: Seed | undefined // where it took its rating over since then
  readonly from: Rating // before the voided match
  rating: Rating
  was: Rating // where it had led with the voided match
  trend: number | null
  readonly means: Array<number> // after each match
  readonly numbers: Array<number> // and its number
  moved: boolean // it came out otherwise than it had
}

/** One of all the seats of a match: they change together. */
export interface SeatChange {
  readonly match: string
  readonly seat: number
  readonly rank: number
  readonly made: Moved
  readonly open: Moved | null
}

export interface Rerated {
  readonly courses: ReadonlyArray<Course>
  readonly seats: ReadonlyArray<SeatChange>
  readonly seeds: ReadonlyArray<Seed>
}

const keyOf = (ladder: Ladder, version: string): string => `${ladder} ${version}`
const BASE: Ladder = LADDERS[LADDERS.length - 1]! // every match moves it

export const rerate = ({ before, later, match, seeds }: Log): Rerated => {
  const n = match!.rated_n!
  const [early, late] = [seeds.filter((seed) => seed.n < n), seeds.filter((seed) => seed.n >= n)]
  const starts = new Map(early.map((seed): [string, Rating] => [keyOf(seed.ladder, seed.version), { mu: seed.mu, sigma: seed.sigma }]))
  const trends = new Map<string, number>()
  for (const { change, ladder, mu, sigma, version } of before) {
    starts.set(keyOf(ladder, version), { mu, sigma })
    trends.set(keyOf(ladder, version), change)
  }
  const courses = new Map<string, Course>()
  const of = (ladder: Ladder, version: string): Course => {
    const key = keyOf(ladder, version)
    const known = courses.get(key)
    if (known !== undefined) return known
    const course = begin(ladder, version, starts.get(key) ?? START, trends.get(key) ?? null)
    courses.set(key, course)
    return course
  }
  const resown: Array<Seed> = []
  const sow = (seed: Seed): void => {
    const old = of(seed.ladder, seed.of)
    const rating = takenOver(old.rating)
    const sown = { ...seed, ...rating }
    const course = { ...begin(seed.ladder, seed.version, rating, null), seed: sown, was: seed, moved: old.moved }
    courses.set(keyOf(seed.ladder, seed.version), course)
    if (old.moved) resown.push(sown)
  }
  for (const { made, open, version } of match!.seats) {
    for (const ladder of laddersOf(match!.ladder!)) {
      Object.assign(of(ladder, version), { moved: true, was: ladder === match!.ladder ? made! : open! })
    }
  }
  const changes: Array<SeatChange> = []
  let sown = 0
  for (const each of later) {
    for (; sown < late.length && late[sown]!.n < each.rated_n; sown++) sow(late[sown]!)
    changes.push(...play(each, of))
  }
  for (; sown < late.length; sown++) sow(late[sown]!)
  return { courses: [...courses.values()].filter(({ moved }) => moved), seats: changes, seeds: resown }
}

const begin = (ladder: Ladder, version: string, from: Rating, trend: number | null): Course => ({
  ...{ ladder, version, seed: undefined, from, rating: from, was: from, trend },
  ...{ means: [], numbers: [], moved: false }
})

const laddersOf = (made: Ladder): ReadonlyArray<Ladder> => (made === BASE ? [BASE] : [made, BASE])

/** Rates one match again where the voided one has reached any of its seats; answers the seats that came out otherwise. */
const play = ({ id, ladder, rated_n, seats }: LoggedMatch, of: (ladder: Ladder, version: string) => Course): ReadonlyArray<SeatChange> => {
  const ranks = seats.map(({ rank }) => rank)
  const on = (each: Ladder, was: (seat: number) => Moved): { readonly again: boolean; readonly moved: ReadonlyArray<Moved> } => {
    const courses = seats.map(({ version }) => of(each, version))
    const again = courses.some(({ moved }) => moved)
    const after = again
      ? rated(
          courses.map(({ rating }) => rating),
          ranks
        )
      : undefined
    const moved = courses.map((course, i): Moved => {
      const { change, mu, sigma } = after === undefined ? was(i) : { ...after[i]!, change: after[i]!.mu - course.rating.mu }
      Object.assign(course, { rating: { mu, sigma }, was: was(i), trend: change, moved: course.moved || again })
      course.means.push(mu)
      course.numbers.push(rated_n)
      return { mu, sigma, change }
    })
    return { again, moved }
  }
  const made = on(ladder, (i) => seats[i]!.made!)
  const open = ladder === BASE ? undefined : on(BASE, (i) => seats[i]!.open!)
  if (!made.again && open?.again !== true) return []
  return seats.map(({ rank }, seat) => ({ match: id, seat, rank, made: made.moved[seat]!, open: open?.moved[seat] ?? null }))
}
