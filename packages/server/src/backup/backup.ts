/**
 * Makes a backup. Protocol:
 *  1. The directory is made; one that holds anything is refused.
 *  2. One read-only transaction sees the rows of one moment; the service goes on meanwhile. Every table is written, and the keys of the
 *     objects that the rows name.
 *  3. After it every object is copied, then the secrets. That may take hours, in which an open transaction would keep Postgres from removing
 *     what the rows were before each change: one row that every commit changes takes 70 times as long after half an hour.
 *  4. The manifest is written. A kill before that leaves a directory that `restore` refuses.
 */

import * as fs from "node:fs/promises"
import { join } from "node:path"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { MIGRATION_NUMBERS } from "../database/migrate.ts"
import * as Manifest from "./Manifest.ts"
import { copyOut, noteNamed, type Read } from "./objects.ts"
import { dump, lastMigration, tables, unhurried } from "./tables.ts"

interface Options {
  readonly read: Read
  readonly incomplete: boolean
}

/**
 * Answers one line about what was written. `incomplete` leaves out objects that are lost
 * already instead of refusing.
 */
export const backup = (settings: SettingsShape, directory: string, { incomplete, read }: Options) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const unfinished = Manifest.unfinished(directory)
    const made_at = DateTime.formatIso(yield* DateTime.now)
    const written = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
        yield* unhurried
        const migration = yield* lastMigration
        if (migration === undefined)
          return yield* refuse(`there is nothing to back up: the database ${placeOf(settings)} has no tables of the service`)
        if (!MIGRATION_NUMBERS.includes(migration))
          return yield* refuse(
            `the database is at migration ${migration}, which this release does not know; use scripts/backup of a later one`
          )
        yield* Manifest.begin(directory)
        const kept = yield* unfinished(Effect.forEach(yield* tables, (table) => dump(table, directory)))
        yield* unfinished(noteNamed(directory, kept))
        return { migration, tables: kept }
      })
    )
    const { first_missing, ...objects } = yield* unfinished(copyOut(read, directory))
    if (first_missing !== undefined && !incomplete) {
      return yield* refuse(
        `${objects.missing} objects that the database names are not in the object store or damaged there, the first of them ${first_missing}; ` +
          `${directory} was not finished. With --incomplete they are left out`
      )
    }
    const secrets = yield* unfinished(keepSecrets(settings.directory, directory))
    yield* unfinished(Manifest.finish(directory, { made_at, ...written, objects, secrets }))
    const rows = written.tables.reduce((sum, table) => sum + table.rows, 0)
    return `${directory} has ${written.tables.length} tables with ${rows} rows and ${objects.count} objects of ${objects.bytes} bytes`
  })

/** Where the settings say that the database is: a backup with other settings than the service's finds an empty one. */
const placeOf = ({ database_url, directory }: SettingsShape) =>
  database_url === undefined ? `in AGON_DATA ${directory}` : "of DATABASE_URL"

const keepSecrets = (from: string, to: string) =>
  Manifest.files("secrets", async () => {
    const names = (await fs.readdir(join(from, "secrets"))).filter((name) => Manifest.SECRET_NAME.test(name))
    for (const name of names) await Manifest.writeWhole(Manifest.secretPath(to, name), await fs.readFile(join(from, "secrets", name)))
    return names.toSorted()
  })
