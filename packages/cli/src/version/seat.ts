/** A model argument: MODEL.onnx, with its manifest beside it as MODEL.json or MODEL.manifest.json. */
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { Effect, FileSystem, Option } from "effect"
import { Argument } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { readBytes } from "../files.ts"

/** Beside its model unless it is named. */
export const manifestArgument = Argument.File("MANIFEST.json").pipe(
  Argument.withDescription("Manifest (default: MODEL.json or MODEL.manifest.json beside the model)"),
  Argument.optional
)

export const manifestOf = (model: string, named: Option.Option<string>) =>
  Option.isSome(named) ? Effect.succeed(named.value) : findManifest(model)

const findManifest = Effect.fnUntraced(function* (model: string) {
  const files = yield* FileSystem.FileSystem
  const stem = model.replace(/\.onnx$/, "")
  for (const path of [`${stem}.json`, `${stem}.manifest.json`])
    if (yield* Effect.orElseSucceed(files.exists(path), () => false)) return path
  return yield* new CouldNotRun({ message: `${model} has no manifest beside it (${stem}.json).` })
})

export const readSeat = Effect.fnUntraced(function* (model: string) {
  const weights = yield* readBytes(model)
  const manifest = yield* readBytes(yield* findManifest(model))
  return { weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) }
})
