/**
 * A journal of a round's changes of ratings: who joined from where, and which matches count, in their order.
 * A match that is voided leaves the journal, and what stays is played again from the start of the round.
 */

import type { RatingChange } from "@agon/domain/season/rating/LadderRating.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import { after, type Belief, initialBelief, takenOver } from "./Formula.ts"
import { must, near } from "./Promise.ts"
import { LADDERS } from "./Window.ts"

/** Where a version came onto a ladder in this round: at the seed, or in the place of another, after so many entries. */
interface Join {
  readonly order: number
  readonly place: string
  readonly from: string | null
}
interface Counted {
  readonly order: number
  readonly n: number // of rating
  readonly match: Ended
}

export interface Journal {
  readonly joins: Array<Join>
  readonly matches: Array<Counted>
  order: number
  /** The deviations that ratings of this round start with, by ladder. */
  sigmas: ReadonlyArray<number>
  /** The course of each rating, by `<ladder> <version>`: a version that did nothing yet has none. */
  courses: Map<string, Course>
}

/** The course of one version on one ladder. */
export interface Course {
  readonly seed: Belief
  readonly means: Map<string, { readonly n: number; readonly mu: number }> // after each match, by its id
  belief: Belief
  trend: number | null
}

export const empty = (sigmas: ReadonlyArray<number>): Journal => ({ joins: [], matches: [], order: 0, sigmas, courses: new Map() })

/** `place`: `<ladder> <version>`. */
export const startAt = ({ sigmas }: Pick<Journal, "sigmas">, place: string): Belief =>
  initialBelief(sigmas[LADDERS.indexOf(place.slice(0, place.indexOf(" ")) as (typeof LADDERS)[number])]!)

export const laddersOf = ({ ladder }: Pick<Ended, "ladder">): ReadonlyArray<string> => (ladder === "open" ? ["open"] : [ladder!, "open"])

const courseOf = (journal: Journal, place: string): Course => {
  const known = journal.courses.get(place)
  if (known !== undefined) return known
  const start = startAt(journal, place)
  const course: Course = { seed: start, means: new Map(), belief: start, trend: null }
  journal.courses.set(place, course)
  return course
}

export const beliefOf = (journal: Journal, place: string): Belief => journal.courses.get(place)?.belief ?? startAt(journal, place)

/** The mean of a place once so many matches had been numbered. */
export const meanAt = ({ courses }: Journal, place: string, n: number): number => {
  const course = courses.get(place)
  return [...(course?.means.values() ?? [])].findLast((mean) => mean.n <= n)?.mu ?? course?.seed.mu ?? 0
}

/** `belief` is what it started with: the version before may have played on since. */
export const joinAt = (journal: Journal, entry: Join, belief: Belief): void => {
  journal.joins.push(entry)
  journal.courses.set(entry.place, { seed: belief, means: new Map(), belief, trend: null })
}

/** Rates a match; `row` is how it is written, and its seats must carry what comes out. */
export const count = (journal: Journal, n: number, match: Ended, row: Ended = match): void => {
  journal.matches.push({ order: ++journal.order, n, match })
  play(journal, n, match, row)
}

const play = (journal: Journal, n: number, match: Ended, row: Ended): void => {
  for (const ladder of laddersOf(match)) {
    const seats = match.versions.map((id) => courseOf(journal, `${ladder} ${id}`))
    const beliefs = after(
      seats.map(({ belief }) => belief),
      match.seats.map(({ rank }) => rank)
    )
    seats.forEach((course, i) => {
      const { mu, v } = beliefs[i]!
      const seat = row.seats[i]!
      const change = mu - course.belief.mu
      // One that was voided counts until ratings without it are there; its seats have forgotten theirs.
      if (row.rated_n !== null) sameMove(ladder === match.ladder ? seat.made : seat.open, { mu, sigma: Math.sqrt(v), change }, row)
      Object.assign(course, { belief: { mu, v }, trend: change })
      course.means.set(match.id, { n, mu })
    })
  }
}

const sameMove = (told: RatingChange | null, own: RatingChange, match: Ended): void => {
  const same = told !== null && near(told.mu, own.mu) && near(told.sigma, own.sigma) && near(told.change, own.change)
  must(same, "a seat carries the rating after its match", match, own)
}

/** Takes matches out and plays the rest again; `row` finds a match as it is written now. */
export const without = (journal: Journal, ids: ReadonlySet<string>, row: (id: string) => Ended): void => {
  const stay = journal.matches.filter(({ match }) => !ids.has(match.id))
  journal.matches.splice(0, Infinity, ...stay)
  journal.courses = new Map()
  const entries = [...journal.joins, ...journal.matches].sort((a, b) => a.order - b.order)
  for (const entry of entries) {
    if ("place" in entry) {
      const start = startAt(journal, entry.place)
      const belief = entry.from === null ? start : takenOver(beliefOf(journal, entry.from), start)
      journal.courses.set(entry.place, { seed: belief, means: new Map(), belief, trend: null })
    } else play(journal, entry.n, entry.match, row(entry.match.id))
  }
}
