/**
 * `agon duel A B [--sprt ELO0 ELO1]`: which of two models is the stronger, by mirrored pairs of
 * matches on many boards. With --sprt it ends as soon as the sequential test decides: exit status 0
 * where A is stronger by ELO1, else 1.
 */
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { boardsFlag, readBoards } from "../boards.ts"
import { inRange } from "../numberFlag.ts"
import { sandboxOf } from "../Sandbox.ts"
import { jsonFlag } from "../Service.ts"
import { colours, makeProgress } from "../Shown.ts"
import { contestantArgument, readContestant } from "../version/contestant.ts"
import { DECIDED_AT, estimate, type Hypotheses, pairsIn, test } from "./duel/Comparison.ts"
import { type Counted, checkField, fieldFlags, PAIRS_MAX, playPairs } from "./duel/pairs.ts"
import { finite, say } from "./duel/words.ts"

const PAIRS = 100
const PAIRS_SPRT = 10_000
const ELO_MAX = 1_000

const NUMBER = "-?\\d+(?:\\.\\d+)?"
const readHypotheses = Effect.fnUntraced(function* (text: Option.Option<string>) {
  if (Option.isNone(text)) return undefined
  const [, elo0, elo1] = new RegExp(`^(${NUMBER}),(${NUMBER})$`).exec(text.value) ?? []
  const read: Hypotheses = { elo0: Number(elo0), elo1: Number(elo1) }
  if (read.elo0 < read.elo1 && read.elo0 >= -ELO_MAX && read.elo1 <= ELO_MAX) return read
  return yield* new CouldNotRun({
    message: `--sprt takes two Elo differences from -${ELO_MAX} to ${ELO_MAX}, the lower one first: --sprt 0 20.`
  })
})

const progressOf = ({ pairs }: Counted, most: number, hypotheses: Hypotheses | undefined): string => {
  const told = hypotheses === undefined ? "" : `, LLR ${test(pairs, hypotheses).llr.toFixed(2)} of ${DECIDED_AT.toFixed(2)}`
  return `pair ${pairsIn(pairs)} of ${most}: ${say(estimate(pairs))}${told}`
}

interface Ended extends Counted {
  readonly hypotheses: Hypotheses | undefined
}

const asJson = ({ hypotheses, pairs, strikes }: Ended) => {
  const { elo, high, low, score } = estimate(pairs)
  return {
    ...{ pairs, matches: 2 * pairsIn(pairs), score, elo: finite(elo), elo_low: finite(low), elo_high: finite(high), strikes },
    sprt: hypotheses === undefined ? null : test(pairs, hypotheses)
  }
}

const print = Effect.fnUntraced(function* (names: readonly [string, string], { hypotheses, pairs, strikes }: Ended) {
  const { bold, green, red } = yield* colours
  const [lost, , , , won] = pairs
  const found = estimate(pairs)
  yield* Console.log(`${names[0]} against ${names[1]}: ${bold(say(found))}, ${(100 * found.score).toFixed(1)} % of the points`)
  yield* Console.log(
    `${pairsIn(pairs)} pairs of matches by their points: 0 ${lost}, 1/2 ${pairs[1]}, 1 ${pairs[2]}, 3/2 ${pairs[3]}, 2 ${won}`
  )
  for (const [at, count] of strikes.entries()) if (count > 0) yield* Console.log(`${names[at]} had ${count} strikes`)
  if (hypotheses === undefined) return
  const { decision, elo0, elo1, llr } = test(pairs, hypotheses)
  const verdict = { H0: red(`not stronger by ${elo1}`), H1: green(`stronger by more than ${elo0}`), undecided: "undecided" }[decision]
  yield* Console.log(`sequential test of ${elo0} against ${elo1} Elo: ${verdict} (LLR ${llr.toFixed(2)})`)
})

export const duel = Command.make(
  "duel",
  {
    a: contestantArgument("A"),
    b: contestantArgument("B"),
    boards: boardsFlag,
    ...fieldFlags,
    pairs: Flag.Int("pairs").pipe(
      Flag.withDescription(`Pairs of matches at most (default: ${PAIRS}, with --sprt ${PAIRS_SPRT})`),
      Flag.optional
    ),
    sprt: Flag.String("sprt").pipe(
      Flag.withMetavar("ELO0 ELO1"),
      Flag.withDescription("End as soon as a sequential test with errors of 5 % decides between these Elo differences"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    yield* checkField(given)
    const hypotheses = yield* readHypotheses(given.sprt)
    const most = Option.getOrElse(given.pairs, () => (hypotheses === undefined ? PAIRS : PAIRS_SPRT))
    yield* inRange("pairs", most, 1, PAIRS_MAX)
    const [a, b] = [yield* readContestant(given.a), yield* readContestant(given.b)]
    if (a.game !== b.game) return yield* new CouldNotRun({ message: `${a.name} plays ${a.game}, ${b.name} plays ${b.game}.` })
    const boards = yield* readBoards(a.game, given.boards)
    const rules = { max_turns: given.max_turns, strike_limit: DEFAULT_RULES.match.strike_limit }
    const progress = yield* makeProgress(given.json)
    const field = { game: a.game, boards, rules, seed: given.seed, slots: given.slots }
    const counted = yield* playPairs(field, [a, b], most, (now) =>
      Effect.as(
        progress.show(progressOf(now, most, hypotheses)),
        hypotheses !== undefined && test(now.pairs, hypotheses).decision !== "undecided"
      )
    ).pipe(Effect.ensuring(progress.end), Effect.provide(sandboxOf(given.slots)))
    const ended: Ended = { ...counted, hypotheses }
    if (given.json) yield* Console.log(JSON.stringify({ a: a.name, b: b.name, game: a.game, seed: given.seed, ...asJson(ended) }))
    else yield* print([a.name, b.name], ended)
    yield* answer(hypotheses === undefined || test(counted.pairs, hypotheses).decision === "H1")
  })
)
