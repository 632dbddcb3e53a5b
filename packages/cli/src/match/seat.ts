/** A model argument: MODEL.onnx, with its manifest beside it as MODEL.json or MODEL.manifest.json. */
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { Effect, FileSystem } from "effect"
import { CouldNotRun } from "../Answer.ts"
import { readBytes } from "../files.ts"

export const findManifest = Effect.fnUntraced(function* (model: string) {
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
