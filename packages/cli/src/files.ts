/** Reads the files named on the command line; every fault names the file. */
import { Effect, FileSystem } from "effect"
import { CouldNotRun } from "./Answer.ts"

export const readBytes = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFile(path), () => new CouldNotRun({ message: `${path} cannot be read.` }))
})

export const readJson = Effect.fnUntraced(function* (path: string) {
  const bytes = yield* readBytes(path)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => new CouldNotRun({ message: `${path} is not JSON.` })
  })
})
