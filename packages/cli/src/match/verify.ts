/** `agon verify REPLAY [--weights DIR]`: checks a replay against the rules and, with --weights, against the models. */
import { parseReplay, REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { verify as byRules } from "@agon/engine/replay/verify.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"
import { plain } from "@agon/sandbox/Verdict.ts"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { readBytesUpTo } from "../files.ts"
import { inRange } from "../numberFlag.ts"
import { sandbox } from "../Sandbox.ts"
import { modelsIn } from "../version/filesByHash.ts"

/** An instance's memory has 32-bit addresses. */
const MEMORY_BYTES_MAX = 2 ** 32

/**
 * Plays the match again with the models. Timeouts depend on the machine and are taken from the replay;
 * everything else must come out the same.
 */
const playAgain = Effect.fnUntraced(function* (replay: Replay, folder: string, cap: Option.Option<number>) {
  const seats = yield* Effect.forEach(yield* modelsIn(folder, replay.seats), (model, seat) =>
    model === null
      ? Effect.fail(new CouldNotRun({ message: `The files of seat ${seat} are not in ${folder}.` }))
      : Effect.succeed({ ...model, memory_cap_bytes: Option.getOrElse(cap, () => model.memory_cap_bytes) })
  )
  const { game, board, seed, rules, strikes } = replay
  const arena = yield* Arena
  const timeouts = strikes.filter(({ code }) => code === "timeout")
  const again = yield* Effect.mapError(
    arena.play({ game, board, seed, rules, seats, timeouts }),
    ({ detail }) => new CouldNotRun({ message: detail })
  )
  return again.state_sha256 === replay.state_sha256
})

/** The outcome of playing the match again by its models. */
interface ByModels {
  readonly same: boolean
  /** Runtime versions: of the match, and of this machine. */
  readonly played_on: string
  readonly here: string
}

/** A fault may repeat what the file says, and a terminal obeys what it prints. */
const ofRules = (rules: ReturnType<typeof byRules>): ReadonlyArray<string> =>
  rules.ok
    ? [`by the rules: ${rules.reason} after ${rules.turns} turns, state ${rules.state_sha256}`]
    : rules.problems.map(({ message, path }) => plain(`${path === "" ? "the replay" : path} ${message}`))

const ofModels = ({ here, played_on, same }: ByModels): ReadonlyArray<string> =>
  same
    ? ["by the models: the same"]
    : [
        "by the models: different moves",
        ...(played_on === here ? [] : [`the match was played on runtime ${played_on}, this machine runs ${here}`])
      ]

export const verify = Command.make(
  "verify",
  {
    file: Argument.File("REPLAY"),
    weights: Flag.Directory("weights").pipe(
      Flag.withDescription("Folder with the seats' weights and manifests; the match is played again with them"),
      Flag.optional
    ),
    // A replay does not hold the memory cap, and the moves of a model that ran out of memory depend on it.
    memory_cap_bytes: Flag.Int("memory-cap-bytes").pipe(
      Flag.withDescription("Memory cap of each seat (default: 5 x weights + 64 MiB)"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the answers as JSON"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ file, weights, memory_cap_bytes, json }) {
    if (Option.isSome(memory_cap_bytes)) yield* inRange("memory-cap-bytes", memory_cap_bytes.value, 1, MEMORY_BYTES_MAX)
    const parsed = parseReplay(yield* readBytesUpTo(file, REPLAY_BYTES_MAX))
    const rules = parsed.ok ? byRules(parsed.value) : parsed
    const read = parsed.ok ? readReplay(parsed.value) : parsed
    const say = (lines: ReadonlyArray<string>) => (json ? Effect.void : Effect.forEach(lines, (line) => Console.log(line)))
    yield* say(ofRules(rules))
    const models =
      rules.ok && read.ok && Option.isSome(weights)
        ? {
            same: yield* Effect.provide(playAgain(read.replay, weights.value, memory_cap_bytes), sandbox),
            played_on: read.replay.runtime_version,
            here: runtimeVersion()
          }
        : null
    yield* say(models === null ? [] : ofModels(models))
    if (json) yield* Console.log(JSON.stringify({ rules, models }))
    yield* answer(rules.ok && models?.same !== false)
  })
)
