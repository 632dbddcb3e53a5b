/** `agon play --game snakes --board FILE --seed N MODEL...`: plays one match, with one model per seat. */
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { readJson, writeWhole } from "../files.ts"
import { gameFlag } from "../gameFlag.ts"
import { checkRule, checkSeed, numberFlag } from "../numberFlag.ts"
import { sandbox } from "../Sandbox.ts"
import { readContestant } from "../version/contestant.ts"
import { delayFlag, show } from "./replay/show.ts"
import { strikesOf } from "./replay/strikes.ts"

export const play = Command.make(
  "play",
  {
    models: Argument.File("MODEL.onnx").pipe(
      Argument.withDescription("One model a seat, each with its manifest beside it as MODEL.json"),
      Argument.atLeast(1)
    ),
    game: gameFlag,
    board: Flag.File("board").pipe(Flag.withDescription("Board file")),
    seed: numberFlag("seed", "Match seed, a uint32", 0),
    max_turns: numberFlag("max-turns", "The rules' turn limit", DEFAULT_RULES.match.max_turns),
    strike_limit: numberFlag("strike-limit", "Strikes after which a seat forfeits", DEFAULT_RULES.match.strike_limit),
    infer_us_max: numberFlag("infer-us-max", "The season's infer_us_max; each move is charged against it", DEFAULT_RULES.infer_us_max),
    replay: Flag.Path("replay").pipe(Flag.withDescription("File to write the replay to (default: none)"), Flag.optional),
    watch: Flag.Boolean("watch").pipe(Flag.withDescription("Show the board turn by turn"), Flag.withDefault(false)),
    delay_ms: delayFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the report as JSON, without the replay"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ models, game, board, seed, max_turns, strike_limit, infer_us_max, replay: out, watch, delay_ms, json }) {
    if (watch && json) return yield* new CouldNotRun({ message: "--watch and --json cannot be combined." })
    yield* checkSeed(seed)
    yield* checkRule("max-turns", max_turns)
    yield* checkRule("strike-limit", strike_limit)
    yield* checkRule("infer-us-max", infer_us_max)
    const contestants = yield* Effect.forEach(models, readContestant)
    const other = contestants.find((one) => one.game !== game)
    if (other !== undefined) return yield* new CouldNotRun({ message: `${other.name} plays ${other.game}, not ${game}.` })
    const seats = contestants.map(({ seat }) => seat)
    const request = { game, board: yield* readJson(board), seed, rules: { max_turns, strike_limit }, infer_us_max, seats }
    const arena = yield* Arena
    const played = yield* Effect.mapError(arena.play(request), ({ detail }) => new CouldNotRun({ message: detail }))
    const { replay, ...report } = played
    if (Option.isSome(out)) yield* writeWhole(out.value, canonicalJson(replay))
    if (watch) yield* show(replay, models, delay_ms)
    if (json) return yield* Console.log(JSON.stringify(report))
    yield* Console.log(`${report.reason} after ${report.turns} turns, ${Math.round(report.played_ms)} ms, state ${report.state_sha256}`)
    for (const { seat, score, rank } of report.seats) {
      const strikes = strikesOf(replay, seat)
      yield* Console.log(`  ${rank}. ${models[seat]}  score ${score}${strikes === undefined ? "" : `  strikes ${strikes}`}`)
    }
  })
).pipe(Command.provide(sandbox))
