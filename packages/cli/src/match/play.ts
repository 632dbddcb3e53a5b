/** `agon play --game snakes --board FILE --seed N MODEL...`: plays one match, with one model per seat. */
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { readJson, writeWhole } from "../files.ts"
import { gameFlag } from "../gameFlag.ts"
import { sandbox } from "../Sandbox.ts"
import { INFER_US_MAX } from "../version/examine.ts"
import { readSeat } from "../version/seat.ts"
import { show } from "./replay/show.ts"

export const play = Command.make(
  "play",
  {
    models: Argument.File("MODEL.onnx").pipe(Argument.atLeast(1)),
    game: gameFlag,
    board: Flag.File("board").pipe(Flag.withDescription("Board file")),
    seed: Flag.Int("seed").pipe(Flag.withDescription("Match seed, a uint32"), Flag.withDefault(0)),
    max_turns: Flag.Int("max-turns").pipe(Flag.withDescription("The rules' turn limit"), Flag.withDefault(500)),
    strike_limit: Flag.Int("strike-limit").pipe(Flag.withDescription("Strikes after which a seat forfeits"), Flag.withDefault(3)),
    infer_us_max: Flag.Int("infer-us-max").pipe(
      Flag.withDescription("The season's infer_us_max; each move is charged against it"),
      Flag.withDefault(INFER_US_MAX)
    ),
    replay: Flag.Path("replay").pipe(Flag.withDescription("File to write the replay to"), Flag.optional),
    watch: Flag.Boolean("watch").pipe(Flag.withDescription("Show the board turn by turn"), Flag.withDefault(false)),
    delay_ms: Flag.Int("delay-ms").pipe(Flag.withDescription("Milliseconds between turns on a terminal"), Flag.withDefault(120)),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the report as JSON, without the replay"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ models, game, board, seed, max_turns, strike_limit, infer_us_max, replay: out, watch, delay_ms, json }) {
    if (watch && json) return yield* new CouldNotRun({ message: "--watch and --json cannot be combined." })
    if (seed < 0 || seed > 0xffff_ffff) return yield* new CouldNotRun({ message: `--seed must be from 0 to ${0xffff_ffff}.` })
    const seats = yield* Effect.forEach(models, readSeat)
    const request = { game, board: yield* readJson(board), seed, rules: { max_turns, strike_limit }, infer_us_max, seats }
    const arena = yield* Arena
    const played = yield* Effect.mapError(arena.play(request), ({ detail }) => new CouldNotRun({ message: detail }))
    const { replay, ...report } = played
    if (Option.isSome(out)) yield* writeWhole(out.value, canonicalJson(replay))
    if (watch) yield* show(replay, models, delay_ms)
    if (json) return yield* Console.log(JSON.stringify(report))
    yield* Console.log(`${report.reason} after ${report.turns} turns, ${Math.round(report.played_ms)} ms, state ${report.state_sha256}`)
    for (const { seat, score, rank, strikes } of report.seats)
      yield* Console.log(`  ${rank}. ${models[seat]}  score ${score}${strikes > 0 ? `  strikes ${strikes}` : ""}`)
  })
).pipe(Command.provide(sandbox))
