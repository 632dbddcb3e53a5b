/**
 * Puts a backup back. Protocol:
 *  1. The whole backup is read and compared with its manifest.
 *  2. A database that holds a service's tables is refused, unless it is to be replaced, and one that a service uses always is.
 *  3. The secrets that are missing are put back, with --replace all of them, and the objects are put into the store. They lie under their hashes, so nothing that is there changes.
 *  4. In one transaction the schema is made as it was at the backup and the rows are put into it. A kill before its commit leaves the
 *     database as it was, and the restore can be repeated.
 *
 * The next start of the service applies the migrations that are newer than the backup. Leases of that time have run out: their matches
 * are played again.
 */

import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { MIGRATION_NUMBERS, migrateTo } from "../database/migrate.ts"
import * as Manifest from "./Manifest.ts"
import * as objects from "./objects.ts"
import { dropAll, lastMigration, load, unhurried } from "./tables.ts"

/** Reads the whole backup and refuses one that is not finished, is damaged, or is of a later release. */
export const verified = Effect.fnUntraced(function* (directory: string) {
  const manifest = yield* Manifest.read(directory)
  if (!MIGRATION_NUMBERS.includes(manifest.migration)) {
    return yield* refuse(`the backup is at migration ${manifest.migration}, which this release does not know; use the release that made it`)
  }
  const same = Effect.fnUntraced(function* (path: string, sha256: string) {
    if ((yield* Manifest.measured(path)).sha256 !== sha256) return yield* refuse(`the backup's file ${path} is damaged`)
  })
  for (const table of manifest.tables) yield* same(Manifest.tablePath(directory, table.name), table.sha256)
  yield* same(Manifest.objectList(directory), manifest.objects.sha256)
  yield* objects.verify(directory)
  return manifest
})

/** The secrets of the backup that AGON_DATA has not got. To be asked before anything makes them. */
export const missingSecrets = ({ directory }: SettingsShape, { secrets }: Manifest.Manifest) =>
  secrets.filter((name) => !existsSync(join(directory, "secrets", name)))

const restoreSecrets = (data: string, directory: string, names: ReadonlyArray<string>) =>
  Manifest.files("secrets", async () => {
    for (const name of names) {
      const path = join(data, "secrets", name)
      await fs.rm(path, { force: true })
      await Manifest.writeWhole(path, await fs.readFile(Manifest.secretPath(directory, name)))
    }
  })

interface Options {
  readonly settings: SettingsShape
  readonly directory: string
  readonly manifest: Manifest.Manifest
  readonly replace: boolean
  /** Secrets that AGON_DATA had not got; with `replace` all of them are put back. */
  readonly missing: ReadonlyArray<string>
}

/** Answers one line about what is there now. */
export const restore = ({ directory, manifest, missing, replace, settings }: Options) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* unused
    if (!replace && (yield* lastMigration) !== undefined) {
      return yield* refuse(
        "the database holds a service's data already; --replace removes all of its tables and puts the backup in their place"
      )
    }
    yield* restoreSecrets(settings.directory, directory, replace ? manifest.secrets : missing)
    yield* objects.copyIn(directory)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* unhurried
        if (replace) yield* dropAll
        yield* migrateTo(manifest.migration)
        yield* unhurried
        yield* load(manifest.tables, directory)
      })
    )
    yield* sql`ANALYZE`
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return `the backup of ${manifest.made_at} is back: ${rows} rows and ${manifest.objects.count} objects. Start the service`
  })

/** No service is connected to the database. */
const unused = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly others: number }>`
    SELECT count(*)::int AS others FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'agon %'`
  if (row!.others > 0) return yield* refuse(`a service uses the database (${row!.others} connections); stop all nodes first`)
})
