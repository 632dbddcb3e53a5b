/**
 * How far the strengths of a field lie apart, learned from its matches (docs/rating.md#the-spread-of-a-field).
 *
 * A newcomer's deviation is the spread that the field is believed to have. The log of matches is rated from
 * its beginning under several spreads. Each time, the chances that the ratings gave to each outcome before
 * they knew it are multiplied: the spread under which the matches were foreseen best is the field's. One pass
 * of the rating from this start is as good as a fit of all matches at once.
 */
import { foreseen, initialRating, type Rating, rated, START, takenOver } from "./Rating.ts"

/** Entries are numbered from 0. */
export type Logged =
  /** A rated match: who sat in it, and their ranks; 1 is best, equal is a tie. */
  | { readonly seats: ReadonlyArray<number>; readonly ranks: ReadonlyArray<number> }
  /** An entry begins with the rating of another, as a new version does. */
  | { readonly joins: number; readonly of: number }

/** With fewer entries, or fewer games of each on average, the log says too little. */
const ENTRIES_MIN = 8
const GAMES_MIN = 8
/** Spreads that are tried lie apart by this factor, and at most so many steps from 200: 17 to 2,300 points. */
const STEP = 1.25
const STEPS_MAX = 11
/**
 * Before the matches are seen, the logarithm of the spread is believed to be normal around that
 * of 200, with this deviation.
 */
const BELIEF = 0.5
/** Matches rated in one go, some tenths of a millisecond. */
const MATCHES_AT_ONCE = 250

/**
 * Answers the spread in points, or null where the log says too little. It pauses (`yield`) after every 250
 * matches, so that a caller can do other things meanwhile. Time: some six passes over the log.
 */
export function* spreadOf(log: ReadonlyArray<Logged>): Generator<void, number | null> {
  const entries = countOf(log)
  const games = log.reduce((sum, each) => sum + ("seats" in each ? each.seats.length : 0), 0)
  if (entries < ENTRIES_MIN || games < GAMES_MIN * entries) return null
  const known = new Map<number, number>()
  function* at(step: number) {
    const had = known.get(step)
    if (had !== undefined) return had
    const offset = step * Math.log(STEP)
    const found = (yield* plausibility(log, START.sigma * Math.exp(offset))) - offset ** 2 / (2 * BELIEF ** 2)
    known.set(step, found)
    return found
  }
  let best = 0
  const towards = (yield* at(1)) > (yield* at(-1)) ? 1 : -1
  while (Math.abs(best) < STEPS_MAX && (yield* at(best + towards)) > (yield* at(best))) best += towards
  return START.sigma * STEP ** (best + topOf(yield* at(best - 1), yield* at(best), yield* at(best + 1)))
}

/** One more than the largest number. */
const countOf = (log: ReadonlyArray<Logged>): number =>
  log.reduce((most, each) => ("seats" in each ? each.seats.reduce((a, b) => Math.max(a, b + 1), most) : Math.max(most, each.joins + 1)), 0)

/** The logarithm of the chance of all outcomes, each by the ratings before it. */
function* plausibility(log: ReadonlyArray<Logged>, spread: number): Generator<void, number> {
  const ratings: Array<Rating> = Array.from({ length: countOf(log) }, () => initialRating(spread))
  let sum = 0
  let pause = MATCHES_AT_ONCE
  for (const each of log) {
    if ("joins" in each) {
      ratings[each.joins] = takenOver(ratings[each.of]!, spread)
      continue
    }
    const seats = each.seats.map((entry) => ratings[entry]!)
    sum += foreseen(seats, each.ranks)
    const after = rated(seats, each.ranks)
    for (let i = 0; i < seats.length; i++) ratings[each.seats[i]!] = after[i]!
    if (--pause > 0) continue
    pause = MATCHES_AT_ONCE
    yield
  }
  return sum
}

/** Where the parabola through three neighbours is highest, in steps from the one in the middle. */
const topOf = (below: number, middle: number, above: number): number => {
  const bend = below - 2 * middle + above
  return bend < 0 ? Math.max(-0.5, Math.min(0.5, (below - above) / (2 * bend))) : 0
}
