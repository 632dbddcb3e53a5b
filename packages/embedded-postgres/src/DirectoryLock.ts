/**
 * One server per directory. The lock is the operating system's (a record lock on `lock` in the directory,
 * taken through SQLite, which Node includes). It vanishes with the process however that ends, so there are no
 * stale locks and no reused pids, and it works between containers that share a volume. The file `service.pid`
 * only serves to name the holder.
 */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { unavailable } from "./PostgresUnavailable.ts"

/** SQLITE_BUSY: another connection, of this process or another, holds the lock. */
const BUSY = 5

/** Locks the directory until the scope closes, or refuses with one line that names the process that holds it. */
export const hold = (directory: string) =>
  Effect.acquireRelease(
    Effect.try({ try: () => take(directory), catch: (error) => unavailable("directory", explain(directory, error)) }),
    (lock) => Effect.sync(() => lock.close())
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
    ? `${directory} is in use by another service (pid ${holder(directory)}); stop that one or choose another directory`
    : `${directory} cannot be locked: ${(error as Error).message}`

const holder = (directory: string) => {
  try {
    return readFileSync(join(directory, "service.pid"), "utf8").trim()
  } catch {
    return "unknown" // it has the lock and is about to write the file
  }
}
