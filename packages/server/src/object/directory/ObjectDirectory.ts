/**
 * Objects as files. Protocol:
 *   <directory>/objects/<key>       stored objects; only ever created by rename, so whole or absent
 *   <directory>/partial/<random>    files that are being written; those that were left are deleted when the directory is opened
 * A write goes to a partial file, is flushed, renamed into place, and the directory is flushed: once
 * `receive` has answered, the object survives a power cut, and a write that ends early (refusal,
 * interruption, kill) leaves nothing under the key. Two writers of one key never mix; the later rename wins.
 * Nodes may share the directory: one that starts leaves the partial files of the others.
 *
 * A replay is uploaded for each match, so an upload of one is not flushed before a result takes it over
 * (`verify` with `into`): a power cut in between costs the upload, and the match is played again. A kill
 * of the service costs nothing.
 */
import { hash, randomBytes } from "node:crypto"
import { createReadStream, type StatsFs } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Clock, Effect, Option, Stream } from "effect"
import { contentMeter, meterInto } from "../contentMeter.ts"
import { isReplayUpload } from "../keys.ts"
import { isRemoved, ObjectsUnavailable, type VerifyRequest, type VerifyResult } from "../ObjectStore.ts"
import { assertObjectKey } from "../objectKey.ts"
import { absentIsUndefined, codeOf, flushDirectory, makeDirectories, pinned, renamed, unlinked, wholeFile, writeNew } from "./files.ts"
import { sharedRuns } from "./sharedRuns.ts"

/** Large enough that the time goes into hashing and not into the number of reads. */
const READ_CHUNK_BYTES = 256 * 1024
/** An object of so many bytes is taken or read in one piece, which a connection's own buffers have room for as well. */
export const WHOLE_BYTES_MAX = 64 * 1024

export interface ReceiveRequest {
  readonly key: string
  readonly sha256: string | null
  readonly max_bytes: number
}

/** The outcome of an upload: stored, or the reason why nothing was. */
export type Received = Exclude<VerifyResult, "missing">

export interface Range {
  readonly start: number
  readonly end: number
}

/** File system errors carry paths, which answers must not contain, so only the error's code is passed on. */
const attempt = <A>(operation: string, key: string, run: () => Promise<A>): Effect.Effect<A, ObjectsUnavailable> =>
  Effect.tryPromise({ try: run, catch: (cause) => new ObjectsUnavailable({ operation, key, detail: codeOf(cause) }) })

export type ObjectDirectory = ReturnType<typeof make>

const make = (directory: string) => {
  const places = placesIn(directory)
  const { flushed, pathOf, root } = places
  const remove = (key: string) =>
    attempt("remove", key, async () => {
      const removed = await unlinked(pathOf(key))
      if (removed && !isReplayUpload(key)) await flushed(dirname(pathOf(key)))
    })
  const stat = (key: string): Effect.Effect<Option.Option<{ readonly bytes: number }>, ObjectsUnavailable> =>
    attempt("stat", key, () => absentIsUndefined(() => fs.stat(pathOf(key)))).pipe(
      Effect.map((found) => (found?.isFile() ? Option.some({ bytes: found.size }) : Option.none()))
    )
  const read = (key: string, range?: Range): Stream.Stream<Uint8Array, ObjectsUnavailable> => readPath(key, pathOf(key), range)
  /** An object in memory; undefined where there is none. */
  const readWhole = (key: string, max_bytes: number) => attempt("get", key, () => wholeFile(pathOf(key), max_bytes))
  const room = sharedRuns(() => fs.statfs(root))
  return {
    read,
    readWhole,
    stat,
    list: listing(root),
    remove,
    ...receiving(places),
    verify: verifying(places, remove),
    room: roomOf(() => room(""))
  }
}

type Places = ReturnType<typeof placesIn>

const placesIn = (directory: string) => {
  const root = join(directory, "objects")
  const partials = join(directory, "partial")
  const pathOf = (key: string): string => join(root, assertObjectKey(key))
  const flushed = sharedRuns(flushDirectory)

  const ours = randomBytes(16).toString("hex")
  let made = 0
  const partialPath = (): string => join(partials, `${ours}.${made++}`)

  /** A path for a partial file, which is deleted when the scope ends. */
  const partial = Effect.acquireRelease(Effect.sync(partialPath), (path) => Effect.promise(() => unlinked(path).catch(() => false)))

  /**
   * Uses a path for a partial file, which does not stay where that fails. It goes on, and cleans
   * up, where its caller is gone.
   */
  const withPartial = <A>(operation: string, key: string, use: (path: string) => Promise<A>): Effect.Effect<A, ObjectsUnavailable> =>
    attempt(operation, key, async () => {
      const path = partialPath()
      try {
        return await use(path)
      } catch (cause) {
        await unlinked(path).catch(() => false)
        throw cause
      }
    })

  const settle = async (key: string, from: string, durable = true) => {
    const to = pathOf(key)
    await renamed(from, to)
    if (durable) await flushed(dirname(to))
  }

  return { root, pathOf, flushed, partial, withPartial, settle }
}

const receiving = ({ partial, settle, withPartial }: Places) => ({
  /** Writes `content` under the key, or nothing. */
  receive: Effect.fnUntraced(function* <E>(request: ReceiveRequest, content: Stream.Stream<Uint8Array, E>) {
    const { key, sha256, max_bytes } = request
    const durable = !isReplayUpload(key)
    const path = yield* partial
    const handle = yield* Effect.acquireRelease(
      attempt("put", key, () => fs.open(path, "wx", 0o600)),
      (open) => Effect.promise(() => open.close().catch(() => undefined))
    )
    const meter = contentMeter(max_bytes)
    const fits = yield* meterInto(meter, content, (chunk) => attempt("put", key, () => handle.writeFile(chunk)))
    if (!fits) return "too_large" as const
    if (sha256 !== null && meter.sha256() !== sha256) return "hash_mismatch" as const
    if (durable) yield* attempt("put", key, () => handle.sync())
    yield* attempt("put", key, () => settle(key, path, durable))
    return { bytes: meter.bytes() }
  }, Effect.scoped),

  /** The same of bytes that are in memory, which takes a third of the steps. */
  receiveWhole: ({ key, max_bytes, sha256 }: ReceiveRequest, bytes: Uint8Array): Effect.Effect<Received, ObjectsUnavailable> => {
    if (bytes.byteLength > max_bytes) return Effect.succeed("too_large")
    if (sha256 !== null && hash("sha256", bytes) !== sha256) return Effect.succeed("hash_mismatch")
    const durable = !isReplayUpload(key)
    return withPartial("put", key, async (path) => {
      await writeNew(path, bytes, durable)
      await settle(key, path, durable)
      return { bytes: bytes.byteLength }
    })
  }
})

/**
 * The file gets a second hard link before it is hashed, and that link is flushed and renamed into place: an
 * upload that replaces the key in between changes neither the verdict nor the stored bytes.
 */
const verifying = ({ pathOf, settle, withPartial }: Places, remove: (key: string) => Effect.Effect<void, ObjectsUnavailable>) =>
  Effect.fnUntraced(function* (request: VerifyRequest) {
    const { into, keeps, key } = request
    const verdict = yield* withPartial("verify", key, async (path): Promise<VerifyResult> => {
      if ((await absentIsUndefined(() => pinned(pathOf(key), path))) === undefined) return "missing"
      const found = await verdictOf(path, request)
      if (typeof found !== "string" && into !== undefined && into !== key) await settle(into, path)
      await unlinked(path) // a file that was taken over before has both names, and a rename of one to the other leaves both
      return found
    })
    if (isRemoved(verdict, keeps)) yield* remove(key)
    return verdict
  })

/** Measures and hashes a file that nobody writes to any more; one that is as wanted is flushed. */
const verdictOf = async (path: string, { max_bytes, sha256 }: VerifyRequest): Promise<VerifyResult> => {
  const handle = await fs.open(path, "r+")
  try {
    const { size } = await handle.stat()
    if (size > max_bytes) return "too_large"
    if ((await hashOf(handle, size)) !== sha256) return "hash_mismatch"
    await handle.sync()
    return { bytes: size }
  } finally {
    await handle.close()
  }
}

const hashOf = async (handle: fs.FileHandle, bytes: number): Promise<string> => {
  if (bytes <= WHOLE_BYTES_MAX) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, 0)
    return hash("sha256", buffer.subarray(0, bytesRead))
  }
  const meter = contentMeter(bytes)
  for await (const chunk of handle.createReadStream({ highWaterMark: READ_CHUNK_BYTES, autoClose: false, start: 0 })) meter.take(chunk)
  return meter.sha256()
}

/**
 * The free and total bytes of the directory's file system; free counts only blocks that
 * unprivileged users may take.
 */
const roomOf = (statfs: () => Promise<StatsFs>) =>
  Effect.map(attempt("room", "", statfs), ({ bavail, blocks, bsize }) => ({
    free_bytes: bavail * bsize,
    total_bytes: Math.max(1, blocks * bsize)
  }))

interface Page {
  readonly prefix: string
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists a folder that has no subfolders. An entry that is deleted meanwhile is left out. */
const listing =
  (root: string) =>
  ({ after = "", limit, prefix }: Page) =>
    attempt("list", prefix, async () => {
      const names = (await absentIsUndefined(() => fs.readdir(join(root, prefix)))) ?? []
      const keys = names.map((name) => `${prefix}${name}`).filter((key) => key > after)
      const first = keys.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, limit)
      const found = await Promise.all(first.map((key) => absentIsUndefined(() => fs.stat(join(root, key)))))
      return first.flatMap((key, i) => (found[i]?.isFile() ? [{ key, modified_at: found[i].mtimeMs }] : []))
    })

/** The bytes of a file, or those from `start` to `end`, both included. */
export const readPath = (key: string, path: string, range?: Range): Stream.Stream<Uint8Array, ObjectsUnavailable> =>
  Stream.suspend(() =>
    Stream.fromAsyncIterable(
      createReadStream(path, { highWaterMark: READ_CHUNK_BYTES, ...range }) as AsyncIterable<Uint8Array>,
      (cause) => new ObjectsUnavailable({ operation: "get", key, detail: codeOf(cause) })
    )
  )

/** The directory for reading alone, beside the process that owns it: nothing is made or deleted. */
export const readObjectDirectory = (directory: string): Pick<ObjectDirectory, "read" | "stat"> => make(resolve(directory))

/** No upload is so long without a byte: the server ends it before (http/connection/Connections.ts). */
const LEFT_MS = 3_600_000

/** Deletes partial files that an earlier process left: all, or those that have not changed since. */
const sweepPartials = async (partials: string, before_ms?: number): Promise<void> => {
  for (const name of await fs.readdir(partials)) {
    const path = join(partials, name)
    const found = before_ms === undefined ? undefined : await absentIsUndefined(() => fs.stat(path))
    if (before_ms !== undefined && found !== undefined && found.ctimeMs >= before_ms) continue // a link is as old as its ctime
    await fs.rm(path, { recursive: true, force: true })
  }
}

/**
 * Makes the directory where it is missing, and deletes partial files that an earlier process left. Where
 * other nodes write to the directory as well, only those go that are too old for theirs.
 */
export const openObjectDirectory = (directory: string, isShared = false): Effect.Effect<ObjectDirectory, ObjectsUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
    attempt("open", "", async () => {
      const absolute = resolve(directory)
      await makeDirectories(join(absolute, "objects"))
      await makeDirectories(join(absolute, "partial"))
      await sweepPartials(join(absolute, "partial"), isShared ? now_ms - LEFT_MS : undefined)
      return make(absolute)
    })
  )
