/**
 * One service per data directory. The lock is the operating system's (a record lock on `AGON_DATA/lock`, taken through SQLite, which
 * Node includes). It vanishes with the process however that ends, so there are no stale locks and no reused pids, and it works
 * between containers that share a volume. `AGON_DATA/service.pid` only serves to name the holder.
 *
 * Only a service with the embedded database takes it: services on one DATABASE_URL may share a directory (its objects and secrets).
 */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { refuse } from "../config/StartRefused.ts"

/** SQLITE_BUSY: another connection, of this process or another, holds the lock. */
const BUSY = 5

/** Locks the directory until the scope closes, or refuses with one line that names the process that holds it. */
export const hold = (directory: string) =>
  Effect.acquireRelease(Effect.try({ try: () => take(directory), catch: (error) => refuse(explain(directory, error)) }), (lock) =>
    Effect.sync(() => lock.close())
  ).pipe(Effect.asVoid)

const take = (directory: string) => {
  const lock = new DatabaseSync(join(directory, "lock"))
  try {
    lock.exec("BEGIN EXCLUSIVE")
    writeFileSync(join(directory, "service.pid"), `${process.pid}\n`)
  } catch (error) {
    lock.close()
    throw error
  }
  return lock
}

const explain = (directory: string, error: unknown) =>
  (error as { errcode?: number }).errcode === BUSY
    ? `AGON_DATA: ${directory} is in use by another service (pid ${holder(directory)}); stop that one or choose another directory`
    : `AGON_DATA: ${directory} cannot be locked: ${(error as Error).message}`

const holder = (directory: string) => {
  try {
    return readFileSync(join(directory, "service.pid"), "utf8").trim()
  } catch {
    return "unknown" // it has the lock and is about to write the file
  }
}
