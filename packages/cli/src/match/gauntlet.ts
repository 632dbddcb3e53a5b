/** `agon gauntlet MODEL`: plays a model against each of the zoo, and estimates its place among them. */
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { boardsFlag, readBoards } from "../boards.ts"
import { inRange, numberFlag } from "../numberFlag.ts"
import { sandboxOf } from "../Sandbox.ts"
import { jsonFlag } from "../Service.ts"
import { colours, makeProgress } from "../Shown.ts"
import { contestantArgument, contestantOf, readContestant } from "../version/contestant.ts"
import { type Estimate, estimate, pairsIn } from "./duel/Comparison.ts"
import { type Counted, checkField, type Field, fieldFlags, PAIRS_MAX, playPairs } from "./duel/pairs.ts"
import { finite, say } from "./duel/words.ts"

const PAIRS = 20

interface Met extends Counted {
  readonly name: string
  readonly found: Estimate
}

/**
 * Places are counted from 1, with the model among the zoo. `best` and `worst` are where
 * the intervals still leave it.
 */
export const placeOf = (met: ReadonlyArray<{ readonly found: Estimate }>) => {
  const after = (isAhead: (found: Estimate) => boolean) => 1 + met.filter(({ found }) => isAhead(found)).length
  return {
    place: after(({ elo }) => elo < 0),
    best: after(({ high }) => high < 0),
    worst: after(({ low }) => low <= 0),
    of: met.length + 1
  }
}

const table = (met: ReadonlyArray<Met>): ReadonlyArray<string> => {
  const width = Math.max(...met.map(({ name }) => name.length))
  return met.map(
    ({ found, name, pairs }) =>
      `${name.padEnd(width)}  ${(100 * found.score).toFixed(1).padStart(5)} %  ${say(found)}  in ${pairsIn(pairs)} pairs`
  )
}

const rowOf = ({ found, name, pairs, strikes }: Met) => ({
  ...{ name, pairs, score: found.score, elo: finite(found.elo), elo_low: finite(found.low), elo_high: finite(found.high) },
  strikes: strikes[0]
})

export const gauntlet = Command.make(
  "gauntlet",
  {
    model: contestantArgument("MODEL"),
    boards: boardsFlag,
    ...fieldFlags,
    pairs: numberFlag("pairs", "Pairs of matches against each model of the zoo", PAIRS),
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    yield* checkField(given)
    yield* inRange("pairs", given.pairs, 1, PAIRS_MAX)
    const model = yield* readContestant(given.model)
    const field: Field = {
      ...{ game: model.game, boards: yield* readBoards(model.game, given.boards), seed: given.seed, slots: given.slots },
      rules: { max_turns: given.max_turns, strike_limit: DEFAULT_RULES.match.strike_limit }
    }
    const opponents = zoo.filter(({ game }) => game === model.game).map(contestantOf)
    if (opponents.length === 0) return yield* new CouldNotRun({ message: `The zoo has no model of ${model.game}.` })
    const progress = yield* makeProgress(given.json)
    const met = yield* Effect.forEach(opponents, (opponent, n) =>
      Effect.map(
        playPairs(field, [model, opponent], given.pairs, ({ pairs }) =>
          Effect.as(progress.show(`${opponent.name}, ${n + 1} of ${opponents.length}: pair ${pairsIn(pairs)} of ${given.pairs}`), false)
        ),
        (counted): Met => ({ ...counted, name: opponent.name, found: estimate(counted.pairs) })
      )
    ).pipe(Effect.ensuring(progress.end), Effect.provide(sandboxOf(given.slots)))
    const placed = placeOf(met)
    if (given.json)
      return yield* Console.log(
        JSON.stringify({ model: model.name, game: model.game, seed: given.seed, opponents: met.map(rowOf), ...placed })
      )
    for (const line of table(met.toSorted((a, b) => a.found.score - b.found.score))) yield* Console.log(line)
    const { bold } = yield* colours
    yield* Console.log(`${model.name}: ${bold(`place ${placed.place} of ${placed.of}`)} (${placed.best} to ${placed.worst})`)
    const struck = met.reduce((sum, { strikes }) => sum + strikes[0], 0)
    if (struck > 0) yield* Console.log(`${model.name} had ${struck} strikes`)
  })
)
