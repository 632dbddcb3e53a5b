/**
 * Puts a backup back. Protocol:
 *
 *  1. The whole backup is read and compared with its manifest.
 *  2. The secrets that are missing are put back, before the command makes them anew.
 *  3. A database that holds a service's tables is refused, unless it is to be replaced, and one that a service
 *     uses always is.
 *  4. With --replace all secrets are put back. The objects are put into the store: they lie under their hashes,
 *     so nothing that is there changes.
 *  5. The database is looked at again, since objects take their time. In one transaction the schema is made as
 *     it was at the backup and the rows are put into it. A kill before its commit leaves the database as it
 *     was, and the restore can be repeated.
 *
 * The next start of the service applies the migrations that are newer than the backup. Leases of that time
 * have run out: their matches are played again.
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

/** Puts back the secrets that AGON_DATA has not got; to be run before anything makes them. */
export const restoreMissingSecrets = ({ directory: data }: SettingsShape, directory: string, { secrets }: Manifest.Manifest) =>
  restoreSecrets(
    data,
    directory,
    secrets.filter((name) => !existsSync(join(data, "secrets", name)))
  )

const restoreSecrets = (data: string, directory: string, names: ReadonlyArray<string>) =>
  Manifest.files("secrets", async () => {
    for (const name of names) {
      const path = join(data, "secrets", name)
      await fs.rm(`${path}.making`, { force: true })
      await Manifest.writeWhole(`${path}.making`, await fs.readFile(Manifest.secretPath(directory, name)))
      await fs.rename(`${path}.making`, path)
    }
  })

interface Options {
  readonly settings: SettingsShape
  readonly directory: string
  readonly manifest: Manifest.Manifest
  readonly replace: boolean
}

/** Answers one line about what is there now. */
export const restore = ({ directory, manifest, replace, settings }: Options) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* takable(replace)
    if (replace) yield* restoreSecrets(settings.directory, directory, manifest.secrets)
    yield* objects.copyIn(directory)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* unhurried
        yield* takable(replace)
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

/** The database may be filled: nobody uses it, and it is empty or to be replaced. */
const takable = Effect.fnUntraced(function* (replace: boolean) {
  yield* unused
  if (!replace && (yield* lastMigration) !== undefined) {
    return yield* refuse(
      "the database holds a service's data already; --replace removes all of its tables and puts the backup in their place"
    )
  }
})

/** No service is connected to the database. */
const unused = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly others: number }>`
    SELECT count(*)::int AS others FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'agon %'`
  if (row!.others > 0) return yield* refuse(`a service uses the database (${row!.others} connections); stop all nodes first`)
})
