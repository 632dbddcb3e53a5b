/**
 * Plays whole seasons with known strengths, the same for every pairing, and reports how
 * well the ratings recover them.
 */
import type { Rating } from "@agon/domain/rating/Rating.ts"
import { comparison } from "./comparison.ts"
import { type Field, type FieldOptions, makeField } from "./Field.ts"
import type { League } from "./League.ts"
import { machine } from "./machine.ts"
import { type Measured, measure } from "./measure.ts"
import { pairings } from "./pairing/pairings.ts"

/** Our own comes first. */
export const PAIRINGS = ["agon", ...Object.keys(pairings)]
/** Games per entry after which a season is measured; it is also measured at its end. */
const LOOKS = [10, 20, 40, 80]
/** An entry with less than this share of the games it should have is starved. */
const STARVED_SHARE = 0.5
/** The spread of games is measured this often per as many matches as there are entries, so in mid-round too. */
const SPREAD_LOOKS = 10

export const looksOf = (games: number): ReadonlyArray<number> => [...LOOKS.filter((look) => look < games), games]

export interface SeasonReport {
  readonly looks: ReadonlyArray<Measured & { readonly games: number }>
  readonly most_minus_least: number // at its widest during the season
  readonly starved: number
  readonly us_per_match: number
}

const leagueOf = (name: string, options: FieldOptions, seed: number): League =>
  name === "agon" ? machine(options, seed) : comparison(pairings[name]!, options, seed)

/** One season of one pairing. `clock_ms` is any monotonic clock; only `us_per_match` depends on it. */
export const playSeason = (name: string, options: FieldOptions, seed: number, clock_ms: () => number): SeasonReport => {
  const field = makeField(options, seed)
  const league = leagueOf(name, options, seed)
  const games = new Int32Array(options.entries)
  const looks: Array<Measured & { readonly games: number }> = []
  let taken_ms = 0
  let n = 0
  let spread = 0
  const stride = Math.ceil(options.entries / SPREAD_LOOKS)
  for (const look of looksOf(options.games)) {
    for (const until = Math.round((look * options.entries) / options.seats); n < until; ) {
      const t0 = clock_ms()
      const slots = league.pair()
      const t1 = clock_ms()
      const outcome = field.play(slots)
      const t2 = clock_ms()
      league.report(outcome)
      taken_ms += clock_ms() - t2 + t1 - t0
      for (const slot of slots) games[slot]!++
      const renewed = field.renewed(++n)
      if (renewed !== undefined) league.renew(renewed)
      if (n % stride === 0) spread = Math.max(spread, spreadOf(games, field))
    }
    looks.push({ games: look, ...lookAt(league, field) })
  }
  const due = STARVED_SHARE * options.games
  return {
    looks,
    most_minus_least: Math.max(spread, spreadOf(games, field)),
    starved: games.reduce((count, played, slot) => count + (!field.crashes[slot] && played < due ? 1 : 0), 0),
    us_per_match: (taken_ms * 1000) / n
  }
}

/**
 * The most games of an entry less the fewest. Entries that always crash are paired less
 * on purpose and do not count.
 */
const spreadOf = (games: Int32Array, { crashes }: Field): number => {
  let least = Infinity
  let most = 0
  for (let slot = 0; slot < games.length; slot++) {
    if (crashes[slot]) continue
    least = Math.min(least, games[slot]!)
    most = Math.max(most, games[slot]!)
  }
  return most - least
}

/** Entries that always crash are left out: they have no strength to measure. */
const lookAt = (league: League, { crashes, strengths }: Field): Measured => {
  const ratings: Array<Readonly<Rating>> = []
  const truths: Array<number> = []
  strengths.forEach((strength, slot) => {
    if (crashes[slot]) return
    ratings.push(league.rating(slot))
    truths.push(strength)
  })
  return measure(ratings, truths)
}

export interface Summary {
  readonly name: string
  readonly tau: Readonly<Record<string, number>>
  readonly rmse: Readonly<Record<string, number>>
  readonly coverage_1s: number
  readonly coverage_2s: number
  readonly rank_coverage: number
  readonly most_minus_least: number
  readonly starved: number
  readonly us_per_match: number
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Means over seasons; `most_minus_least` and `starved` are of the worst season. Coverages are those at the end. */
export const summarize = (name: string, seasons: ReadonlyArray<SeasonReport>): Summary => {
  const looks = seasons[0]!.looks
  const at = (i: number, what: keyof Measured) => mean(seasons.map((season) => season.looks[i]![what]))
  const by = (what: "tau" | "rmse") => Object.fromEntries(looks.map(({ games }, i) => [String(games), at(i, what)]))
  const end = looks.length - 1
  return {
    name,
    tau: by("tau"),
    rmse: by("rmse"),
    coverage_1s: at(end, "coverage_1s"),
    coverage_2s: at(end, "coverage_2s"),
    rank_coverage: at(end, "rank_coverage"),
    most_minus_least: Math.max(...seasons.map((season) => season.most_minus_least)),
    starved: Math.max(...seasons.map((season) => season.starved)),
    us_per_match: mean(seasons.map((season) => season.us_per_match))
  }
}
