/**
 * A database as the first release left it (firstReleaseDump.ts): its schema, and the rows that it
 * wrote while a season played.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { migrateTo } from "@agon/server/database/migrate.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The first release's last migration. */
const LAST_MIGRATION = 3

type Row = Readonly<Record<string, any>>
const file = new URL("firstRelease.json.gz", import.meta.url)
export const readTables = (): Readonly<Record<string, ReadonlyArray<Row>>> => JSON.parse(gunzipSync(readFileSync(file)).toString())

/** Into an empty database. */
export const restore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrateTo(LAST_MIGRATION)
  const load = Effect.gen(function* () {
    yield* sql`SET LOCAL session_replication_role = replica` // rows come in the order of their tables' names
    for (const [name, rows] of Object.entries(readTables())) {
      const columns = Object.keys(rows[0] ?? {}).map((column) => `"${column}"`)
      if (columns.length === 0) continue
      yield* sql`INSERT INTO ${sql(name)} (${sql.literal(columns.join())}) OVERRIDING SYSTEM VALUE
        SELECT ${sql.literal(columns.join())} FROM json_populate_recordset(NULL::${sql(name)}, ${JSON.stringify(rows)}::text::json)`
    }
    yield* sql`SELECT setval(pg_get_serial_sequence('board_switch', 'n'), (SELECT max(n) FROM board_switch))`
  })
  yield* sql.withTransaction(load)
})
