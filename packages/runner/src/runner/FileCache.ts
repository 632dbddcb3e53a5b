/**
 * Caches weights and manifests on disk, one file each, named by its sha256. The hash is checked before a
 * file gets its name and again when it is read, so neither a killed runner nor a bad disk can give a match
 * other bytes than its lease names. The folder may hold other things as well, which are left alone and not
 * counted: `lost+found` of a volume of its own, or whatever is in a folder that is used otherwise.
 */

import { randomUUID } from "node:crypto"
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { makeFolder } from "@agon/api/program/makeFolder.ts"
import { seldom } from "@agon/api/program/seldom.ts"
import type { File } from "@agon/api/runner/protocol.ts"
import { hashOf, hexOf } from "@agon/engine/hash.ts"
import { Clock, Context, Deferred, Effect, Layer, Schema } from "effect"
import { Transfers } from "./Transfers.ts"

/** The file cannot be downloaded, or its bytes do not match the hash. */
export class FileUnavailable extends Schema.TaggedError<FileUnavailable>()("FileUnavailable", {
  hash: Schema.String,
  detail: Schema.String,
  /** As far as this machine can tell nobody can have it. */
  gone: Schema.Boolean
}) {}

/** The most bytes to keep, less on a smaller disk; the least recently used files are evicted first. */
const BYTES_MAX = 4 * 1024 ** 3
/**
 * Files are looked at where those that were written since might be too many, and else so often, for runners may share a folder. With the
 * 20,000 of a large season a look takes half a second: once for each new file it took longer than the file.
 */
const LOOK_EVERY_MS = 300_000
/** So much of what may be kept is made free at once: a full cache would be looked at for each file as well. */
const FREED_SHARE = 1 / 16

const KEPT = /^[0-9a-f]{64}$/
/** Written, and not yet whole; another runner of the same folder may be writing it. */
const HALF = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Nobody writes one file for longer: its runner was killed. */
const HALF_MAX_MS = 3_600_000

export class FileCache extends Context.Service<
  FileCache,
  {
    readonly get: (file: File) => Effect.Effect<Uint8Array, FileUnavailable>
    readonly counts: () => { readonly hits: number; readonly misses: number }
  }
>()("agon/runner/FileCache") {
  static readonly layer = (directory: string, bytes_max = BYTES_MAX): Layer.Layer<FileCache, never, Transfers> =>
    Layer.effect(
      FileCache,
      Effect.suspend(() => make(directory, bytes_max))
    )
}

const make = Effect.fnUntraced(function* (directory: string, bytes_max: number) {
  const transfers = yield* Transfers
  const scope = yield* Effect.scope
  const flights = new Map<string, Deferred.Deferred<Uint8Array, FileUnavailable>>()
  let hits = 0
  let misses = 0
  const unkept = complaints(directory)
  const began = yield* Clock.currentTimeMillis
  const keeping = makeKeeping(directory, bytes_max)
  yield* Effect.catch(
    Effect.tryPromise(async () => {
      makeFolder(directory)
      await keeping.look(began)
    }),
    ({ cause }) => unkept(cause)
  )

  /** The bytes on disk if they match the hash; a file that does not is removed, if the disk permits it, and another takes its place. */
  const kept = (hash: string, used_at: number): Effect.Effect<Uint8Array | undefined> =>
    Effect.promise(async () => {
      const path = join(directory, hexOf(hash))
      const bytes = await readFile(path).catch(() => undefined)
      if (bytes === undefined) return undefined
      if (hashOf(bytes) !== hash) return rm(path, { force: true }).then(undefined, () => undefined)
      await utimes(path, used_at, used_at).catch(() => undefined)
      return bytes
    })

  const keep = (hash: string, bytes: Uint8Array, now: number): Effect.Effect<void> =>
    Effect.catch(
      Effect.tryPromise(() => keeping.keep(hexOf(hash), bytes, now)),
      ({ cause }) => unkept(cause)
    )

  const fetch = Effect.fnUntraced(function* ({ bytes: size, hash, url }: File) {
    const bytes = yield* Effect.mapError(transfers.get(url, size), ({ detail, gone }) => new FileUnavailable({ hash, detail, gone }))
    if (hashOf(bytes) !== hash) return yield* new FileUnavailable({ hash, detail: "the bytes do not match the hash", gone: true })
    yield* keep(hash, bytes, yield* Clock.currentTimeMillis)
    return bytes
  })

  /** Goes on for the others, and for the next match, when the one who asked first goes away. */
  const get = (file: File): Effect.Effect<Uint8Array, FileUnavailable> =>
    Effect.uninterruptibleMask((restore) => {
      const joined = flights.get(file.hash)
      if (joined !== undefined) return restore(Deferred.await(joined))
      const flight = Deferred.makeUnsafe<Uint8Array, FileUnavailable>()
      flights.set(file.hash, flight)
      const flown = Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) => kept(file.hash, now / 1000)),
        Effect.flatMap((bytes) => {
          if (bytes === undefined) misses++
          else hits++
          return bytes === undefined ? fetch(file) : Effect.succeed(bytes)
        }),
        Effect.onExit((exit) => {
          flights.delete(file.hash)
          return Deferred.done(flight, exit)
        })
      )
      return Effect.andThen(Effect.forkIn(Effect.exit(flown), scope), restore(Deferred.await(flight)))
    })

  return FileCache.of({ get, counts: () => ({ hits, misses }) })
})

/** Writes files, and removes others where they are too many. */
const makeKeeping = (directory: string, bytes_max: number) => {
  /** The bytes that were kept at the last look, with those that were written since. */
  let held = 0
  let looked_at = 0
  const look = async (now: number) => {
    looked_at = now
    held = 0 // files that are written meanwhile are counted, and none of them begins another look
    const left = await evict(directory, (bytes) => (bytes > bytes_max ? Math.ceil(bytes_max * (1 - FREED_SHARE)) : bytes_max))
    held += left
    await sweep(directory, now)
  }
  const keep = async (name: string, bytes: Uint8Array, now: number) => {
    const path = join(directory, name)
    await put(path, bytes).catch(async (error: NodeJS.ErrnoException) => {
      if (!isFull(error)) throw error
      held = await evict(directory, (kept) => kept - Math.max(bytes.length, kept * FREED_SHARE))
      await put(path, bytes)
    })
    held += bytes.length
    if (held > bytes_max || Math.abs(now - looked_at) >= LOOK_EVERY_MS) await look(now)
  }
  return { keep, look }
}

/** A disk that takes no files, or another user's, refuses each of every match. */
const complaints = (directory: string) => {
  const tell = seldom(
    "AGON_RUNNER_CACHE keeps no files, which are downloaded again for each match; make room there, or name a folder that can be written"
  )
  return (cause: unknown) => tell({ reason: "", fields: { directory, why: cause instanceof Error ? cause.message : String(cause) } })
}

/** Removes the files that a killed runner left half written. */
const sweep = async (directory: string, now: number): Promise<void> => {
  for (const name of await filesIn(directory, HALF)) {
    const path = join(directory, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }))
    if (now - mtimeMs > HALF_MAX_MS) await rm(path, { force: true })
  }
}

const filesIn = async (directory: string, names: RegExp): Promise<ReadonlyArray<string>> =>
  (await readdir(directory, { withFileTypes: true })).flatMap((entry) => (entry.isFile() && names.test(entry.name) ? [entry.name] : []))

/** The disk has no room for a file, or none for this user: less of it is kept. */
export const isFull = ({ code }: NodeJS.ErrnoException): boolean => code === "ENOSPC" || code === "EDQUOT"

/** The file has its name once it is whole; one that cannot be written leaves nothing. */
const put = async (path: string, bytes: Uint8Array): Promise<void> => {
  const making = join(dirname(path), `.${randomUUID()}`)
  try {
    await writeFile(making, bytes)
    await rename(making, path)
  } catch (error) {
    await rm(making, { force: true })
    throw error
  }
}

/** Down to `mostOf` the bytes that are kept there; answers how many still are. */
const evict = async (directory: string, mostOf: (held: number) => number): Promise<number> => {
  const files = await Promise.all(
    (await filesIn(directory, KEPT)).map(async (name) => {
      const path = join(directory, name)
      const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }))
      return { path, size, used_at: mtimeMs }
    })
  )
  let bytes = files.reduce((sum, { size }) => sum + size, 0)
  const most = mostOf(bytes)
  for (const { path, size } of files.sort((a, b) => a.used_at - b.used_at)) {
    if (bytes <= most) break
    await rm(path, { force: true })
    bytes -= size
  }
  return bytes
}
