/**
 * Replaces the ratings by those of a fold of the log: one command, one commit. The few matches that were
 * rated since the fold was last read are folded in here. If a round has started meanwhile, versions still
 * held were reset: only their history changes. A fold with a match that was voided since, or with other
 * starts, is stale: the log is folded again.
 */
import type { Of, Replies } from "../Command.ts"
import { ladderNamed } from "../Ladders.ts"
import type { Earlier, LoggedMatch, LogPage } from "../Log.ts"
import { type Ladder, laddersRated } from "../Rules.ts"
import type { State } from "../State.ts"
import { type Course, type Fold, fold as foldIn, reach } from "./Fold.ts"
import { finderOf } from "./finderOf.ts"
import { historyOf, type Past } from "./Histories.ts"
import { type InheritedRating, type LadderRating, ratingName, type SeriesPoint } from "./LadderRating.ts"
import { awaitsFold, type Starts, sameStarts, sigmasIn, startsDue } from "./Starts.ts"
import type { SeatChange, Voiding } from "./Voided.ts"

/** The most matches that may have been rated since, at first: their seats are written in the same commit. */
export const TAIL_MATCHES_MAX = 100

export const installFold = (state: State, { earlier, fold, rows, tail_max, voiding }: Of<"InstallFold">): Replies["InstallFold"] => {
  if (rows === null || rows.tail.matches.length > tail_max) return { installed: false, stale: false }
  const gone = [...state.voiding.values()]
  const starts = startsDue(state)
  // Made for an earlier start of the season, or before other starts were learned.
  if (!awaitsFold(state) || !sameStarts(fold.starts, starts)) return { installed: false, stale: true }
  if (gone.some(({ n }) => n <= fold.n && !fold.missing.has(n))) return { installed: false, stale: true }
  // A recent match was voided only just now: the versions seated in it have to be read first.
  if (gone.some(({ match }) => !voiding.has(match))) return { installed: false, stale: false }
  const changes = foldIn(fold, tailOf(state, rows.tail), state.settings.rules.match.strike_limit)
  const seated = new Map<string, Array<Gone>>()
  for (const each of gone) {
    seat(each, (ladder, version) => {
      const name = ratingName(ladder, version)
      seated.set(name, [...(seated.get(name) ?? []), each])
      reach(fold, ladder, version, each.round)
    })
  }
  const install: Install = {
    earlier: new Map(earlier.map((each) => [ratingName(each.ladder, each.version), each])),
    seated,
    find: finderOf(state, rows.left)
  }
  for (const course of fold.courses.values()) follow(state, course, install)
  for (const change of changes.seats) rewriteSeat(state, change)
  for (const seed of changes.seeds) rewriteSeed(state, seed)
  for (const point of changes.points) rewritePoint(state, point)
  if (state.learning !== null) installStarts(state, state.learning.round, fold, starts)
  for (const { match, versions } of gone) {
    state.voiding.delete(match)
    state.writes.voiding.add(match)
    state.events.push({ _tag: "MatchVoided", match, versions })
  }
  return { installed: true, stale: false }
}

/**
 * The ratings of those who have not played in the round, and are in no fold, move to its start: those of
 * a later round began with it.
 */
const installStarts = (state: State, learned: number, { courses }: Fold, starts: ReadonlyArray<Starts>): void => {
  const sigmas = sigmasIn(starts, state.round)
  for (const ladder of learned === state.round ? state.ladders : []) {
    for (const rating of ladder.ratings.values()) {
      if (courses.get(ratingName(rating.ladder, rating.version))?.round === state.round) continue
      rating.sigma = sigmas[ladder.index]!
      if (!state.unwritten.has(rating)) state.writes.ratings.add(rating)
    }
  }
  state.starts = starts
  state.learning = null
  state.rescaled++
  state.writes.head = true
  state.events.push({ _tag: "RatingsRescaled" })
}

type Gone = Past["gone"][number]

interface Install {
  readonly earlier: ReadonlyMap<string, Earlier>
  readonly seated: ReadonlyMap<string, ReadonlyArray<Gone>> // the voided matches of each version
  readonly find: ReturnType<typeof finderOf>
}

const seat = ({ ladder, versions }: Voiding, each: (ladder: Ladder, version: string) => void): void => {
  for (const one of laddersRated(ladder)) for (const version of versions) each(one, version)
}

/** The rest of the log: its rows, and what this batch added before the command, without matches voided meanwhile. */
const tailOf = (state: State, { matches, points, seeds }: LogPage): LogPage => {
  const { ended, seeds: inherited, series } = state.writes
  const fresh = ended.filter(({ rated_n }) => rated_n !== null) as unknown as ReadonlyArray<LoggedMatch>
  return {
    matches: [...matches, ...fresh].filter(({ id }) => !state.voiding.has(id)),
    seeds: [...seeds, ...inherited],
    points: [...points, ...series]
  }
}

const follow = (state: State, course: Course, install: Install): void => {
  const ladder = ladderNamed(state, course.ladder)
  const rating = install.find(ladder, course.version)
  if (rating === undefined) return
  const history = pastOf(state, rating, course, install)
  const stands = rating.round === course.round // a round that has started since has reset it
  if (!stands) {
    if (same(rating.history, history)) return
    rating.history = history
  } else {
    const met = course.met.map((version) => install.find(ladder, version)!.ord) // opponents on a ladder have a rating there
    if (isAsDue(rating, course, met) && same(rating.history, history)) return
    if (rating.active) {
      ladder.ranks.remove(rating.mu)
      ladder.ranks.add(course.mu)
    }
    const { forfeits, mu, played, sigma, trend } = course
    Object.assign(rating, { mu, sigma, trend, forfeits, round_matches: played, met, history })
  }
  state.writes.ratings.add(rating)
}

const isAsDue = (rating: LadderRating, course: Course, met: ReadonlyArray<number>): boolean =>
  rating.mu === course.mu &&
  rating.sigma === course.sigma &&
  rating.trend === course.trend &&
  rating.forfeits === course.forfeits &&
  rating.round_matches === course.played &&
  same(rating.met, met)

const same = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => a.length === b.length && a.every((one, i) => one === b[i])

const pastOf = (state: State, rating: LadderRating, course: Course, { earlier, seated }: Install): Array<number> => {
  const name = ratingName(course.ladder, course.version)
  return historyOf(state, rating, { course, earlier: earlier.get(name), gone: seated.get(name) ?? [] })
}

/** A match of this batch has no row to rewrite yet. */
const rewriteSeat = ({ writes }: State, change: SeatChange): void => {
  const { made, match, open, seat } = change
  const { ended } = writes
  const fresh = ended.findIndex(({ id }) => id === match)
  if (fresh < 0) writes.rerated.push(change)
  else ended[fresh] = { ...ended[fresh]!, seats: ended[fresh]!.seats.map((row, i) => (i === seat ? { ...row, made, open } : row)) }
}

const rewriteSeed = ({ writes }: State, seed: InheritedRating): void => {
  const fresh = writes.seeds.findIndex((each) => each.version === seed.version && each.ladder === seed.ladder)
  writes.seeds.splice(fresh < 0 ? writes.seeds.length : fresh, 1, seed)
}

/** A point that this batch took because of the void stays, even if no match counts. */
const rewritePoint = ({ writes }: State, point: SeriesPoint): void => {
  const fresh = writes.series.findIndex((each) => each.at === point.at && each.ladder === point.ladder)
  if (fresh < 0) writes.series.push(point)
  else if (point.versions.length > 0) writes.series[fresh] = point
}
