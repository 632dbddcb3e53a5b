/** Reads and writes the files named on the command line; every fault names the file. */
import { randomUUID } from "node:crypto"
import { Effect, FileSystem, Option, Stream } from "effect"
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

const parseJson = (name: string, bytes: Uint8Array) =>
  Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => new CouldNotRun({ message: `${name} is not JSON.` })
  })

export const readJson = (path: string) => Effect.flatMap(readBytes(path), (bytes) => parseJson(path, bytes))

/** A file put in the place of these would reach nobody who reads from them. */
const WRITTEN_INTO: ReadonlyArray<string> = ["FIFO", "CharacterDevice"]

/**
 * Written beside and renamed, so that the file is whole or as it was before. A link stays one, and the file that it leads to
 * is written; a pipe or a device, such as /dev/null, is written into.
 */
export const writeWhole = Effect.fnUntraced(function* (path: string, bytes: string | Uint8Array, mode = 0o666) {
  const files = yield* FileSystem.FileSystem
  const write = (to: string) =>
    typeof bytes === "string" ? files.writeFileString(to, bytes, { mode }) : files.writeFile(to, bytes, { mode })
  const there = yield* Effect.option(files.stat(path))
  const isInto = Option.isSome(there) && WRITTEN_INTO.includes(there.value.type)
  const target = yield* Effect.orElseSucceed(files.realPath(path), () => path)
  const beside = `${target}.${randomUUID()}`
  const putInPlace = write(beside).pipe(
    Effect.andThen(files.rename(beside, target)),
    Effect.onError(() => Effect.ignore(files.remove(beside, { force: true })))
  )
  yield* Effect.mapError(isInto ? write(path) : putInPlace, () => new CouldNotRun({ message: `${path} cannot be written.` }))
})
