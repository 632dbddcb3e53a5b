/**
 * The objects that rows name, out of the store and into it. Objects under their hashes never change, and one
 * that rows named is removed a day after they no longer do, so copies that are made within a day of the reading of the rows have
 * everything that those rows name. Uploads that are not verified yet are left out: their owners repeat them.
 */

import * as fs from "node:fs/promises"
import { Effect, Option, Semaphore, Stream } from "effect"
import { refuse } from "../config/StartRefused.ts"
import { contentMeter } from "../object/contentMeter.ts"
import { readObjectDirectory } from "../object/directory/ObjectDirectory.ts"
import { type ReplayOfMatch, storedKey, storedReplayKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { proven } from "../object/proven.ts"
import { localDirectory } from "../objectLayers.ts"
import { readLines, writeLines } from "./lines.ts"
import { files, measured, namedList, objectList, objectPath, type Table, writeWhole } from "./Manifest.ts"
import { eachBatch } from "./tables.ts"

const OBJECT_BYTES_MAX = 1024 ** 3
/** Replays are small. Of weights there is one in memory at once: the largest class takes 256 MiB. */
const COPIES = 4
const LARGE_BYTES = 16 * 1024 ** 2
const LINES = 200

interface Listed {
  readonly key: string
  readonly bytes: number
  readonly sha256: string
}

interface Named {
  readonly kind: "weights" | "manifests"
  readonly hash: string
  /** Files of a rejected version are removed some time after it. */
  readonly needed: boolean
}

const FILES = `
  SELECT kind, hash, bool_or(needed) AS needed FROM (
    SELECT 'weights' AS kind, weights_hash AS hash, status <> 'rejected' AS needed FROM version WHERE weights_bytes IS NOT NULL
    UNION ALL SELECT 'manifests', manifest_hash, status <> 'rejected' FROM version WHERE manifest_bytes IS NOT NULL) v
  GROUP BY kind, hash ORDER BY kind, hash`
/**
 * Inline ones are in the dump of the tables. Columns that an earlier release's schema has not got are
 * read as what its rows get by the migration: true of 0013, false of 0045.
 */
const replaysOf = (columns: ReadonlyArray<string>) => {
  const column = (name: string, before: boolean) => (columns.includes(name) ? name : `${before} AS ${name}`)
  return `SELECT * FROM
    (SELECT id, replay_hash, ${column("replay_by_match", true)}, ${column("replay_inline", false)} FROM match) m
    WHERE replay_hash IS NOT NULL AND NOT replay_inline ORDER BY id`
}

/** A table of migration 0036. */
const DATASETS_TABLE = "dataset_file"
const DATASETS = `SELECT key FROM ${DATASETS_TABLE} ORDER BY key`

export type Read = (key: string) => Effect.Effect<Option.Option<Uint8Array>, ReturnType<typeof refuse>>

const unreadable = (key: string) => (error: { readonly _tag: string; readonly detail?: string }) =>
  refuse(`object ${key} cannot be read: ${error.detail ?? error._tag}`)

/** Reads the store. */
export const fromStore: Effect.Effect<Read, never, ObjectStore> = Effect.map(
  ObjectStore,
  (store) => (key) => Effect.mapError(store.get({ key, max_bytes: OBJECT_BYTES_MAX }), unreadable(key))
)

/**
 * Reads the data directory beside a service that may be running; opening it as a store would remove the
 * files that are being written. A damaged file is none: it will not be another the next time, as the answer of a bucket may be.
 */
export const fromDirectory = (data: string): Read => {
  const directory = readObjectDirectory(localDirectory(data))
  return (key) =>
    Effect.gen(function* () {
      if (Option.isNone(yield* directory.stat(key))) return Option.none()
      const bytes = Buffer.concat(yield* Stream.runCollect(directory.read(key)))
      return yield* Effect.option(proven(key, bytes))
    }).pipe(Effect.mapError(unreadable(key)))
}

interface Wanted {
  readonly key: string
  readonly needed: boolean
  /** Read beside others. */
  readonly small: boolean
}

/** Notes the keys of the objects that the rows of this transaction name. The tables may be those of an earlier release. */
export const noteNamed = (directory: string, tables: ReadonlyArray<Pick<Table, "name" | "columns">>) =>
  Effect.gen(function* () {
    const columns = new Map(tables.map((table) => [table.name, table.columns]))
    const list = yield* writeLines(namedList(directory))
    const note = <A extends object>(name: string, query: string, wanted: (row: A) => Wanted) =>
      eachBatch(name, query, (rows: ReadonlyArray<A>) => list.write(rows.map(wanted)))
    yield* note("files", FILES, ({ hash, kind, needed }: Named) => ({ key: storedKey(kind, hash), needed, small: false }))
    yield* note("replays", replaysOf(columns.get("match") ?? []), (row: ReplayOfMatch) => ({
      ...{ key: storedReplayKey(row), needed: true, small: true }
    }))
    if (columns.has(DATASETS_TABLE))
      yield* note("datasets", DATASETS, ({ key }: { readonly key: string }) => ({ key, needed: true, small: false }))
    yield* list.end
  }).pipe(Effect.scoped)

/** Copies the objects whose keys were noted. */
export const copyOut = (read: Read, directory: string) =>
  Effect.gen(function* () {
    const list = yield* writeLines(objectList(directory))
    const total = { count: 0, bytes: 0, missing: 0 }
    const first: { missing?: string } = {}
    const copy = Effect.fnUntraced(function* ({ key, needed }: Wanted) {
      const found = yield* read(key)
      if (Option.isNone(found)) {
        if (!needed) return []
        total.missing += 1
        first.missing ??= key
        return []
      }
      yield* files(key, () => writeWhole(objectPath(directory, key), found.value))
      total.count += 1
      total.bytes += found.value.byteLength
      return [{ key, ...hashed(found.value) } satisfies Listed]
    })
    const alone = Semaphore.makeUnsafe(1).withPermits(1)
    yield* Stream.runForEach(readLines<Wanted>(namedList(directory), LINES), (wanted) =>
      Effect.flatMap(
        Effect.forEach(wanted, (one) => (one.small ? copy(one) : alone(copy(one))), { concurrency: COPIES }),
        (copied) => list.write(copied.flat())
      )
    )
    yield* files("objects", () => fs.rm(namedList(directory)))
    return { ...total, first_missing: first.missing, sha256: yield* list.end }
  }).pipe(Effect.scoped)

const hashed = (bytes: Uint8Array) => {
  const meter = contentMeter(bytes.byteLength)
  meter.take(bytes)
  return { bytes: meter.bytes(), sha256: meter.sha256() }
}

const eachListed = <E, R>(directory: string, use: (object: Listed) => Effect.Effect<unknown, E, R>) =>
  Stream.runForEach(readLines<Listed>(objectList(directory), LINES), (batch) => Effect.forEach(batch, use, { concurrency: COPIES }))

/** Refuses where an object of the list is missing or is not what it was. */
export const verify = (directory: string) =>
  eachListed(directory, ({ bytes, key, sha256 }) =>
    Effect.gen(function* () {
      const is = yield* measured(objectPath(directory, key))
      if (is.bytes !== bytes || is.sha256 !== sha256) return yield* refuse(`the backup's object ${key} is damaged`)
    })
  )

/** Puts every object of the list into the store; those that are there already are written again. */
export const copyIn = (directory: string) =>
  Effect.flatMap(ObjectStore, (store) => {
    const alone = Semaphore.makeUnsafe(1).withPermits(1)
    const put = (key: string) =>
      Effect.flatMap(
        files(key, () => fs.readFile(objectPath(directory, key))),
        (bytes) => Effect.mapError(store.put(key, bytes), ({ detail }) => refuse(`object ${key} cannot be stored: ${detail}`))
      )
    return eachListed(directory, ({ bytes, key }) => (bytes > LARGE_BYTES ? alone(put(key)) : put(key)))
  })
