/** `agon verify REPLAY [--weights DIR]`: whether a replay is what the rules, and the models themselves, make of it. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { verify as byRules } from "@agon/engine/replay/verify.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { memoryCapOf } from "@agon/sandbox/worker/Instance.ts"
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { readBytes, readJson } from "../files.ts"

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** The files of a folder by their hashes, as a replay names them. */
const filesByHash = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.mapError(files.readDirectory(folder), () => new CouldNotRun({ message: `${folder} cannot be read.` }))
  const models = names.filter((name) => /\.(?:onnx|json)$/.test(name)).map((name) => join(folder, name))
  return new Map(yield* Effect.forEach(models, (path) => Effect.map(readBytes(path), (bytes) => [sha256(bytes), bytes] as const)))
})

/** Plays the match again with the models. Timeouts came from a clock and are taken over; all else has to come out by itself. */
const playAgain = Effect.fnUntraced(function* (replay: Replay, folder: string) {
  const files = yield* filesByHash(folder)
  const seats = yield* Effect.forEach(replay.seats, ({ weights_sha256, manifest_sha256 }, seat) => {
    const [weights, manifest] = [files.get(weights_sha256), files.get(manifest_sha256)]
    return weights === undefined || manifest === undefined
      ? Effect.fail(new CouldNotRun({ message: `The files of seat ${seat} are not in ${folder}.` }))
      : Effect.succeed({ weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) })
  })
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
      Flag.withDescription("A folder with the seats' weights and manifests: play it with them too"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ file, weights }) {
    const value = yield* readJson(file)
    const check = byRules(value)
    if (!check.ok) {
      for (const { path, message } of check.problems) yield* Console.log(`${path === "" ? "the replay" : path} ${message}`)
      return yield* answer(false)
    }
    yield* Console.log(`by the rules: ${check.reason} after ${check.turns} turns, state ${check.state_sha256}`)
    const read = readReplay(value)
    if (Option.isNone(weights) || !read.ok) return
    const same = yield* Effect.provide(playAgain(read.replay, weights.value), Arena.layer({ slots: 1 }))
    yield* Console.log(same ? "by the models: the same" : "by the models: they play another match")
    yield* answer(same)
  })
).pipe(Command.withDescription("Play a replay again, by the rules and with the models, and compare"))
