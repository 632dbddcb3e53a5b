/**
 * `agon simulate --entries N --games N --seeds N`: plays seasons between entries of known
 * strength, with our season machine and with published pairing methods, and prints how well the
 * ratings of each recover the strengths.
 */
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { FIELDS, type FieldOptions, measurable } from "./simulate/Field.ts"
import { PAIRINGS, playSeason, type SeasonReport, summarize } from "./simulate/simulation.ts"
import { plotOf, tableOf } from "./simulate/table.ts"

const number = (name: string, least: number, most: number, standard: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= least && value <= most,
      (value) => `--${name} is from ${least} to ${most}, not ${value}`
    ),
    Flag.withDefault(standard),
    Flag.withDescription(`${description} (default: ${standard})`)
  )

/** Seasons of one pairing, one per seed. It yields between seeds, so that the command can be stopped. */
const simulate = Effect.fn("simulate")(function* (name: string, options: FieldOptions, seeds: number) {
  const clock = yield* Clock.Clock
  const clock_ms = () => Number(clock.currentTimeNanosUnsafe()) / 1e6
  const seasons: Array<SeasonReport> = []
  for (let seed = 1; seed <= seeds; seed++) {
    seasons.push(playSeason(name, options, seed, clock_ms))
    yield* Effect.yieldNow
  }
  return summarize(name, seasons)
})

export const simulateCommand = Command.make(
  "simulate",
  {
    entries: number("entries", 2, 100_000, 100, "Entries in the field"),
    games: number("games", 1, 10_000, 80, "Matches an entry plays, on average"),
    seeds: number("seeds", 1, 10_000, 24, "Seasons to play; the figures are means over them"),
    seats: number("seats", 2, 8, 2, "Seats of a match"),
    spread: number("spread", 0, 1000, 200, "Standard deviation of the true strengths in Elo points"),
    field: Flag.Literals("field", FIELDS).pipe(Flag.withDefault("static"), Flag.withDescription("How strengths change (default: static)")),
    draws: Flag.Finite("draws").pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        (share) => `--draws must be from 0 to 1, not ${share}`
      ),
      Flag.withDefault(0),
      Flag.withDescription("Share of draws between equals (default: 0)")
    ),
    pairing: Flag.Literals("pairing", PAIRINGS).pipe(Flag.optional, Flag.withDescription("Only this pairing; agon is ours (default: all)")),
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print the figures as JSON"))
  },
  Effect.fn(function* ({ json, pairing, seeds, ...options }) {
    if (options.seats > options.entries)
      return yield* new CouldNotRun({ message: `${options.entries} entries are too few for a match of ${options.seats} seats.` })
    if (measurable(options) < 2)
      return yield* new CouldNotRun({ message: `${options.entries} entries, one of which forfeits every match, leave no two to compare.` })
    const names = Option.match(pairing, { onNone: () => PAIRINGS, onSome: (name) => [name] })
    const summaries = yield* Effect.forEach(names, (name) => simulate(name, options, seeds))
    if (json) return yield* Console.log(JSON.stringify({ ...options, seeds, pairings: summaries }))
    yield* Console.log(`${tableOf(summaries)}\n\n${plotOf(summaries)}`)
  })
)
