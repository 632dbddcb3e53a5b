/**
 * How well ratings order a field of known strengths: the season's live rating, the same where the season
 * learns the spread of its field, the same with a refit of all matches installed every 500 matches, and other
 * methods on the live season's matches. Strengths and outcomes are the same for all; where ratings are made
 * anew, the pairing follows them, so its matches are its own.
 *
 *   node test/bench/ratings.ts [seasons, 24] [spread of the strengths, 200] [seats, 2] [entries, 100]
 *
 * tau: Kendall's, after 10, 20, 40 and 80 games an entry. 1s, 2s: share of strengths within one and two
 * deviations after 80; rank: share of true ranks within the interval that ladders show.
 */
import { ranksOf } from "@agon/domain/match/Outcome.ts"
import type { Rating } from "@agon/domain/rating/Rating.ts"
import { type FieldOptions, makeField } from "../../packages/cli/src/season/simulate/Field.ts"
import type { League } from "../../packages/cli/src/season/simulate/League.ts"
import { machine } from "../../packages/cli/src/season/simulate/machine.ts"
import { type Measured, measure } from "../../packages/cli/src/season/simulate/measure.ts"
import { CONTESTANTS } from "./ratings/contestants.ts"
import { learning } from "./ratings/learned.ts"
import { type Match, refit } from "./ratings/refit.ts"

const [seasons = 24, spread = 200, seats = 2, entries = 100] = process.argv.slice(2).map(Number)
const LOOKS = [10, 20, 40, 80]
const MATCHES_PER_REFIT = 500
const options: FieldOptions = { entries, games: LOOKS.at(-1)!, seats, field: "static", draws: 0, spread }

/** Gives ratings for the matches so far, before each next match; null leaves those that there are. */
type Anew = (log: ReadonlyArray<Match>) => ReadonlyArray<Rating> | null

const refitting: Anew = (log) => (log.length % MATCHES_PER_REFIT === 0 ? refit(entries, log).ratings : null)

/** Calls `look` with the matches so far at each of LOOKS. */
const play = (seed: number, anew: Anew, look: (league: League, strengths: ReadonlyArray<number>, log: ReadonlyArray<Match>) => void) => {
  const field = makeField(options, seed)
  const league = machine(options, seed)
  const log: Array<Match> = []
  for (const games of LOOKS) {
    while (log.length < Math.round((games * entries) / seats)) {
      anew(log)?.forEach((rating, slot) => Object.assign(league.rating(slot), rating))
      const slots = league.pair()
      const outcome = field.play(slots)
      league.report(outcome)
      log.push({ slots: [...slots], ranks: ranksOf(outcome.scores, outcome.crashed) })
    }
    look(league, field.strengths, log)
  }
}

const seen = new Map<string, Array<Measured>>()
const see = (name: string, measured: Measured) => seen.set(name, [...(seen.get(name) ?? []), measured])
const liveOf = (league: League) => Array.from({ length: entries }, (_, slot) => league.rating(slot))

for (let seed = 1; seed <= seasons; seed++) {
  play(
    seed,
    () => null,
    (league, strengths, log) => {
      see("live", measure(liveOf(league), strengths))
      for (const { name, rate } of CONTESTANTS) see(name, measure(rate(entries, log), strengths))
    }
  )
  play(seed, learning(entries), (league, strengths) => see("live, learned", measure(liveOf(league), strengths)))
  play(seed, refitting, (league, strengths) => see("live, refitted", measure(liveOf(league), strengths)))
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
console.log(`${seasons} seasons, ${entries} entries of spread ${spread}, ${seats} seats`)
console.log(
  ["".padEnd(16), ...LOOKS.map((games) => `tau@${games}`.padStart(8)), "rmse@80", "1s", "2s", "rank"]
    .map((cell) => cell.padStart(8))
    .join("")
)
for (const [name, measured] of seen) {
  const at = (i: number, what: keyof Measured) => mean(measured.flatMap((each, n) => (n % LOOKS.length === i ? [each[what]] : [])))
  const end = LOOKS.length - 1
  const cells = [...LOOKS.map((_, i) => at(i, "tau").toFixed(3)), at(end, "rmse").toFixed(1), at(end, "coverage_1s").toFixed(2)]
  console.log(
    [name.padEnd(16), ...cells, at(end, "coverage_2s").toFixed(2), at(end, "rank_coverage").toFixed(3)]
      .map((cell) => cell.padStart(8))
      .join("")
  )
}
