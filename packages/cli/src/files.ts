/** Reads and writes the files and folders named on the command line; every fault names the file. */
import { randomUUID } from "node:crypto"
import { dirname } from "node:path"
import { Effect, FileSystem, type PlatformError, Stream } from "effect"
import { CouldNotRun } from "./Answer.ts"

export const readBytes = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(files.readFile(path), () => new CouldNotRun({ message: `${path} cannot be read.` }))
})

/** The bytes of a file that is read no further than one byte over a limit, so that its reader can refuse it. */
export const readBytesUpTo = Effect.fnUntraced(function* (path: string, bytes_max: number) {
  const files = yield* FileSystem.FileSystem
  const parts = Stream.runCollect(files.stream(path, { bytesToRead: bytes_max + 1 }))
  return yield* Effect.mapBoth(parts, {
    onSuccess: (read) => new Uint8Array(Buffer.concat([...read])),
    onFailure: () => new CouldNotRun({ message: `${path} cannot be read.` })
  })
})

export const parseJson = (name: string, bytes: Uint8Array) =>
  Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => new CouldNotRun({ message: `${name} is not JSON.` })
  })

export const readJson = (path: string) => Effect.flatMap(readBytes(path), (bytes) => parseJson(path, bytes))

/**
 * Makes a folder, and those above it that are missing, one at a time. Node's own `recursive` tries for ever under /proc, where no folder
 * can be made although the one above is there. Fails also where the path is a file.
 */
export const makeFolder = (path: string, mode = 0o777): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const isFolder = files.stat(path).pipe(
      Effect.map(({ type }) => type === "Directory"),
      Effect.orElseSucceed(() => false)
    )
    if (yield* isFolder) return
    const above = dirname(path)
    if (above !== path) yield* makeFolder(above, mode)
    // Another process may have made it meanwhile.
    yield* Effect.catch(files.makeDirectory(path, { mode }), (error) =>
      Effect.flatMap(isFolder, (made) => (made ? Effect.void : Effect.fail(error)))
    )
  })

/** Written beside and renamed, so that the file is whole or as it was before. */
export const writeWhole = Effect.fnUntraced(function* (path: string, bytes: string | Uint8Array, mode = 0o666) {
  const files = yield* FileSystem.FileSystem
  const beside = `${path}.${randomUUID()}`
  const written = typeof bytes === "string" ? files.writeFileString(beside, bytes, { mode }) : files.writeFile(beside, bytes, { mode })
  yield* written.pipe(
    Effect.andThen(files.rename(beside, path)),
    Effect.onError(() => Effect.ignore(files.remove(beside, { force: true }))),
    Effect.mapError(() => new CouldNotRun({ message: `${path} cannot be written.` }))
  )
})
