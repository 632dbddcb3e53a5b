/** The models of a replay's seats, found in a folder by their hashes. */
import { join } from "node:path"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import type { ReplaySeat } from "@agon/engine/replay/Replay.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { MANIFEST_MAX_BYTES } from "@agon/sandbox/Manifest.ts"
import type { MatchSeat } from "@agon/sandbox/match/Match.ts"
import { Effect, FileSystem, Option } from "effect"
import { CouldNotRun } from "../Answer.ts"
import { readBytes } from "../files.ts"

/** Whether there may be weights or a manifest: not in a folder of such a name, a link to nothing, or JSON larger than any manifest. */
const mayHold = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const found = yield* Effect.option(files.stat(path))
  if (Option.isNone(found) || found.value.type !== "File") return false
  return path.endsWith(".onnx") || Number(found.value.size) <= MANIFEST_MAX_BYTES
})

/** The wanted files of a folder and its subfolders. Other files are not kept in memory. */
const filesByHash = Effect.fnUntraced(function* (folder: string, wanted: ReadonlySet<string>) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.mapError(
    files.readDirectory(folder, { recursive: true }),
    () => new CouldNotRun({ message: `${folder} cannot be read.` })
  )
  const found = new Map<string, Uint8Array>()
  const paths = names.filter((one) => /\.(?:onnx|json)$/.test(one)).map((name) => join(folder, name))
  for (const path of yield* Effect.filter(paths, mayHold)) {
    const bytes = yield* readBytes(path)
    const hash = sha256Hex(bytes)
    if (wanted.has(hash)) found.set(hash, bytes)
  }
  return found
})

/** By seat; null where the folder has not both files of it. */
export const modelsIn = Effect.fnUntraced(function* (folder: string, seats: ReadonlyArray<ReplaySeat>) {
  const wanted = seats.flatMap(({ weights_sha256, manifest_sha256 }) => [weights_sha256, manifest_sha256])
  const files = yield* filesByHash(folder, new Set(wanted))
  return seats.map(({ weights_sha256, manifest_sha256 }): MatchSeat | null => {
    const [weights, manifest] = [files.get(weights_sha256), files.get(manifest_sha256)]
    return weights === undefined || manifest === undefined ? null : { weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) }
  })
})
