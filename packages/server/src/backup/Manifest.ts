/**
 * A backup is a directory:
 *
 *   tables/<table>.gz     a line a row: the row as Postgres writes it, as a JSON string
 *   objects/<key>         weights, manifests, replays and datasets that the rows name
 *   objects.gz            a line an object: its key, size and hash
 *   secrets/<name>        the secrets of the service, but for the embedded database's password
 *   backup.json           this manifest. It is written last: a directory without one holds a backup that was not finished
 *
 * Nothing in it depends on the version of Postgres. The manifest has the hash of every other file but the
 * secrets, and a restore reads all of them before it changes anything.
 */

import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { makeFolder } from "@agon/api/program/makeFolder.ts"
import { Effect, Schema } from "effect"
import { refuse, StartRefused } from "../config/StartRefused.ts"

const FORMAT = "agon-backup/1"
const FILE = "backup.json"
const MODE = 0o600

/** Names are parts of paths. */
const TableName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]*$/))
/** The name of a secret that a backup keeps. The embedded database gets a password of its own where it is made. */
export const SECRET_NAME = /^(?!postgres$)[a-z][a-z-]*$/

const Table = Schema.Struct({ name: TableName, columns: Schema.Array(Schema.String), rows: Schema.Int, sha256: Schema.String })
export type Table = typeof Table.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  made_at: Schema.String,
  /** The number of the last migration of the schema. */
  migration: Schema.Int,
  tables: Schema.Array(Table),
  objects: Schema.Struct({ count: Schema.Int, bytes: Schema.Int, missing: Schema.Int, sha256: Schema.String }),
  secrets: Schema.Array(Schema.String.check(Schema.isPattern(SECRET_NAME)))
})
export type Manifest = typeof Manifest.Type

export const tablePath = (directory: string, table: string) => join(directory, "tables", `${table}.gz`)
export const objectList = (directory: string) => join(directory, "objects.gz")
/** The keys of all objects that a backup will have, while it is made. */
export const namedList = (directory: string) => join(directory, "named.gz")
export const objectPath = (directory: string, key: string) => join(directory, "objects", key)
export const secretPath = (directory: string, name: string) => join(directory, "secrets", name)

/**
 * Runs file system calls; a failure is the one line with which the command ends. It names the user where the system refuses one, as a
 * folder of root's refuses the service's.
 */
export const files = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => {
      const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException
      return refuse(`${what}: ${message}${REFUSED.has(code) ? `; this runs as the user ${userName()}, who may not do that` : ""}`)
    }
  })

const REFUSED: ReadonlySet<string> = new Set(["EACCES", "EPERM"])

/** The number where it has no name, as a user that a container is given. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

/** The names in a directory; none where it is not there. */
const namesIn = (directory: string) =>
  files(directory, () =>
    fs.readdir(directory).catch((cause: NodeJS.ErrnoException): ReadonlyArray<string> => {
      if (cause.code !== "ENOENT") throw cause
      return []
    })
  )

/** A failure after the directory was made says where, and that what lies there is of no use and takes room. */
export const unfinished =
  (directory: string) =>
  <A, E, R>(writing: Effect.Effect<A, E, R>) =>
    Effect.mapError(writing, (error) =>
      error instanceof StartRefused ? refuse(`${error.message}; ${directory} was not finished: remove it`) : error
    )

/** Makes the directory of a new backup. One that holds anything is refused. */
export const begin = (directory: string) =>
  Effect.gen(function* () {
    const names = yield* namesIn(directory)
    if (names.includes(FILE)) return yield* refuse(`${directory} holds a backup already; name another directory`)
    if (names.includes("tables"))
      return yield* refuse(`${directory} holds a backup that was not finished; remove it or name another directory`)
    if (names.length > 0) return yield* refuse(`${directory} is not empty; name a directory that does not exist yet`)
    yield* files(directory, async () => {
      makeFolder(directory, 0o700)
      for (const folder of ["tables", "objects", "secrets"]) await fs.mkdir(join(directory, folder), { mode: 0o700 })
    })
  })

/** Writes the manifest when everything else lies on the disk, under its name only when it is whole. */
export const finish = (directory: string, manifest: Omit<Manifest, "format">) =>
  files(directory, async () => {
    const making = join(directory, `${FILE}.making`)
    await writeWhole(making, `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`)
    await fs.rename(making, join(directory, FILE))
    await flushDirectory(directory)
    await flushDirectory(dirname(directory))
  })

export const read = (directory: string) =>
  Effect.gen(function* () {
    const names = yield* namesIn(directory)
    if (!names.includes(FILE)) {
      return yield* refuse(
        `${directory} holds ${names.includes("tables") ? "a backup that was not finished" : "no backup"}: it has no ${FILE}`
      )
    }
    const text = yield* files(FILE, () => fs.readFile(join(directory, FILE), "utf8"))
    return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))(text), ({ message }) =>
      refuse(`${join(directory, FILE)} is not the manifest of a backup of this format (${FORMAT}): ${message}`)
    )
  })

/** Writes a file and flushes it. */
export const writeWhole = async (path: string, content: string | Uint8Array) => {
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await fs.writeFile(path, content, { mode: MODE, flag: "wx", flush: true })
}

const flushDirectory = async (path: string) => {
  const handle = await fs.open(path, "r")
  await handle.sync().finally(() => handle.close())
}

/** Size and hash of a file, which is read in chunks. */
export const measured = (path: string) =>
  files(path, async () => {
    const hash = createHash("sha256")
    let bytes = 0
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      bytes += chunk.byteLength
    }
    return { bytes, sha256: hash.digest("hex") }
  })
