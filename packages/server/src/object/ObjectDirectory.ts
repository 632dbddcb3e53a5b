/**
 * Objects as files. Protocol:
 *   <directory>/objects/<key>       stored objects; only ever created by rename, so whole or absent
 *   <directory>/partial/<random>    files that are being written; deleted when the directory is opened
 * A write goes to a partial file, is flushed, renamed into place, and the directory is flushed: once `receive` has
 * answered, the object survives a power cut, and a write that ends early (refusal, interruption, kill) leaves nothing
 * under the key. Two writers of one key never mix; the later rename wins. One process owns the directory at a time
 * (the service locks AGON_DATA at its start): a second one would delete the first one's partial files.
 */
import { randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Option, Stream } from "effect"
import { contentMeter, measure, meterInto } from "./contentMeter.ts"
import { ObjectsUnavailable, type Verdict, type VerifyRequest } from "./ObjectStore.ts"
import { assertObjectKey } from "./objectKey.ts"

/** Large enough that the time goes into hashing and not into the number of reads. */
const READ_CHUNK_BYTES = 256 * 1024

export interface ReceiveRequest {
  readonly key: string
  readonly sha256: string | null
  readonly max_bytes: number
}

export interface Range {
  readonly start: number
  readonly end: number
}

const code = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : String(cause))

/** File system errors carry paths, which answers must not contain, so only the error's code is passed on. */
const attempt = <A>(operation: string, key: string, run: () => Promise<A>): Effect.Effect<A, ObjectsUnavailable> =>
  Effect.tryPromise({ try: run, catch: (cause) => new ObjectsUnavailable({ operation, key, detail: code(cause) }) })

const absentIsUndefined = <A>(run: () => Promise<A>): Promise<A | undefined> =>
  run().catch((cause) => (code(cause) === "ENOENT" ? undefined : Promise.reject(cause)))

/** A rename or a new entry is only durable once the directory that holds it is. */
const flushDirectory = async (path: string): Promise<void> => {
  const handle = await fs.open(path, "r")
  await handle.sync().finally(() => handle.close())
}

const makeDirectories = async (path: string): Promise<void> => {
  const first = await fs.mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushDirectory(dirname(made))
}

export type ObjectDirectory = ReturnType<typeof make>

const make = (directory: string) => {
  const root = join(directory, "objects")
  const partials = join(directory, "partial")
  const pathOf = (key: string): string => join(root, assertObjectKey(key))

  /** A path for a partial file, which is deleted when the scope ends. */
  const partial = Effect.acquireRelease(
    Effect.sync(() => join(partials, randomBytes(16).toString("hex"))),
    (path) => Effect.promise(() => fs.rm(path, { force: true }).catch(() => undefined))
  )

  const settle = (operation: string, key: string, from: string) =>
    attempt(operation, key, async () => {
      const to = pathOf(key)
      await makeDirectories(dirname(to))
      await fs.rename(from, to)
      await flushDirectory(dirname(to))
    })

  const read = (key: string, range?: Range): Stream.Stream<Uint8Array, ObjectsUnavailable> => readPath(key, pathOf(key), range)

  const stat = (key: string): Effect.Effect<Option.Option<{ readonly bytes: number }>, ObjectsUnavailable> =>
    attempt("stat", key, () => absentIsUndefined(() => fs.stat(pathOf(key)))).pipe(
      Effect.map((found) => (found?.isFile() ? Option.some({ bytes: found.size }) : Option.none()))
    )

  const remove = (key: string) =>
    attempt("remove", key, async () => {
      const removed = await absentIsUndefined(() => fs.rm(pathOf(key)).then(() => true))
      if (removed) await flushDirectory(dirname(pathOf(key)))
    })

  /** Writes `content` under the key, or nothing. */
  const receive = Effect.fnUntraced(function* <E>(request: ReceiveRequest, content: Stream.Stream<Uint8Array, E>) {
    const { key, sha256, max_bytes } = request
    const path = yield* partial
    const handle = yield* Effect.acquireRelease(
      attempt("put", key, () => fs.open(path, "wx", 0o600)),
      (open) => Effect.promise(() => open.close().catch(() => undefined))
    )
    const meter = contentMeter(max_bytes)
    const fits = yield* meterInto(meter, content, (chunk) => attempt("put", key, () => handle.writeFile(chunk)))
    if (!fits) return "too_large" as const
    if (sha256 !== null && meter.sha256() !== sha256) return "hash_mismatch" as const
    yield* attempt("put", key, () => handle.sync())
    yield* settle("put", key, path)
    return { bytes: meter.bytes() }
  }, Effect.scoped)

  /**
   * The file gets a second hard link before it is hashed, and that link is renamed into place: an upload that replaces
   * the key in between changes neither the verdict nor the stored bytes.
   */
  const verify = Effect.fnUntraced(function* (request: VerifyRequest) {
    const { key, sha256, max_bytes, into } = request
    const pinned = yield* partial
    const found = yield* attempt("verify", key, () => absentIsUndefined(() => pin(pathOf(key), pinned)))
    if (found === undefined) return "missing" satisfies Verdict
    const content = yield* measure(readPath(key, pinned), max_bytes)
    if (content === "too_large" || content.sha256 !== sha256) {
      yield* remove(key)
      return (content === "too_large" ? content : "hash_mismatch") satisfies Verdict
    }
    if (into !== undefined && into !== key) yield* settle("verify", into, pinned)
    return { bytes: content.bytes } satisfies Verdict
  }, Effect.scoped)

  return { read, stat, list: listing(root), remove, receive, verify, room: roomOf(root) }
}

/** The free and total bytes of the directory's file system; free counts only blocks that unprivileged users may take. */
const roomOf = (directory: string) =>
  Effect.map(
    attempt("room", "", () => fs.statfs(directory)),
    ({ bavail, blocks, bsize }) => ({ free_bytes: bavail * bsize, total_bytes: Math.max(1, blocks * bsize) })
  )

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
      (cause) => new ObjectsUnavailable({ operation: "get", key, detail: code(cause) })
    )
  )

/** A hard link, or a copy on a file system without them. */
const pin = async (from: string, to: string): Promise<true> => {
  await fs.link(from, to).catch(async (cause) => {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"].includes(code(cause))) throw cause
    await fs.copyFile(from, to)
    const handle = await fs.open(to, "r+")
    await handle.sync().finally(() => handle.close())
  })
  return true
}

/** The directory for reading alone, beside the process that owns it: nothing is made or deleted. */
export const readObjectDirectory = (directory: string): Pick<ObjectDirectory, "read" | "stat"> => make(resolve(directory))

/** Makes the directory where it is missing and deletes partial files that an earlier process left. */
export const openObjectDirectory = (directory: string): Effect.Effect<ObjectDirectory, ObjectsUnavailable> =>
  attempt("open", "", async () => {
    const absolute = resolve(directory)
    await makeDirectories(join(absolute, "objects"))
    await fs.rm(join(absolute, "partial"), { recursive: true, force: true })
    await makeDirectories(join(absolute, "partial"))
    return make(absolute)
  })
