/** `agon verify REPLAY [--weights DIR]`: checks a replay against the rules and, with --weights, against the models. */
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { verify as byRules } from "@agon/engine/replay/verify.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { readJson } from "../files.ts"
import { sandbox } from "../Sandbox.ts"
import { modelsIn } from "../version/filesByHash.ts"

/**
 * Plays the match again with the models. Timeouts depend on the machine and are taken from the replay; everything else must
 * come out the same.
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
      Flag.withDescription("Memory cap of each seat, if the match had another than 5 x weights + 64 MiB"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ file, weights, memory_cap_bytes }) {
    const value = yield* readJson(file)
    const check = byRules(value)
    if (!check.ok) {
      for (const { path, message } of check.problems) yield* Console.log(`${path === "" ? "the replay" : path} ${message}`)
      return yield* answer(false)
    }
    yield* Console.log(`by the rules: ${check.reason} after ${check.turns} turns, state ${check.state_sha256}`)
    const read = readReplay(value)
    if (Option.isNone(weights) || !read.ok) return
    const same = yield* Effect.provide(playAgain(read.replay, weights.value, memory_cap_bytes), sandbox)
    yield* Console.log(same ? "by the models: the same" : "by the models: different moves")
    const here = runtimeVersion()
    if (!same && read.replay.runtime_version !== here)
      yield* Console.log(`the match was played on runtime ${read.replay.runtime_version}, this machine runs ${here}`)
    yield* answer(same)
  })
)
