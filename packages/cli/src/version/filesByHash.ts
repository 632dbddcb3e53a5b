/** The models of a replay's seats, found in a folder by their hashes. */
import { join } from "node:path"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import type { ReplaySeat } from "@agon/engine/replay/Replay.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import type { MatchSeat } from "@agon/sandbox/match/Match.ts"
import { Effect, FileSystem } from "effect"
import { CouldNotRun } from "../Answer.ts"
import { readBytes } from "../files.ts"

/** The wanted files of a folder and its subfolders. Other files are not kept in memory. */
const filesByHash = Effect.fnUntraced(function* (folder: string, wanted: ReadonlySet<string>) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.mapError(
    files.readDirectory(folder, { recursive: true }),
    () => new CouldNotRun({ message: `${folder} cannot be read.` })
  )
  const found = new Map<string, Uint8Array>()
  for (const name of names.filter((one) => /\.(?:onnx|json)$/.test(one))) {
    const bytes = yield* readBytes(join(folder, name))
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
