/**
 * The rows of every table, out of one database and into another. A row travels as the text that Postgres
 * itself writes for it, so each type comes back bit for bit, and the versions of the two servers may differ.
 * The tables of `effect/cluster` stay behind: they say who hosts what at this moment.
 */

import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { refuse } from "../config/StartRefused.ts"
import { MIGRATION_TABLE } from "../database/migrate.ts"
import { TABLES } from "../database/migrations/index.ts"
import { unlimited } from "../database/unlimited.ts"
import { readLines, writeLines } from "./lines.ts"
import { type Table, tablePath } from "./Manifest.ts"

/** Rows held in memory at once. A row has at most some MB, and most have a few hundred bytes. */
const ROWS = 200

/**
 * A dump or a load may take long; a lock may not. Dates, numbers and bytes are text of one form, which any database reads
 * again as they were: the one that a database or its role is set to may not be.
 */
export const unhurried = Effect.andThen(
  unlimited,
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT set_config('lock_timeout', '60s', true), set_config('DateStyle', 'ISO, YMD', true),
      set_config('IntervalStyle', 'postgres', true), set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`
  )
)

const OURS = [...TABLES, MIGRATION_TABLE]

/** The service's tables with their columns in the order of their rows' text, by name. Others' in the same schema are theirs to keep. */
export const tables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly name: string; readonly columns: string }>`
      SELECT c.relname AS name, string_agg(a.attname, ',' ORDER BY a.attnum) AS columns FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY (string_to_array(${OURS.join()}, ','))
      GROUP BY c.relname ORDER BY c.relname`,
    (rows) => rows.map(({ columns, name }) => ({ name, columns: columns.split(",") }))
  )
)

/** The number of the last migration; none where the schema is not there. */
export const lastMigration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tables).some(({ name }) => name === MIGRATION_TABLE)) return undefined
  const [row] = yield* sql<{ readonly last: number | null }>`SELECT max(migration_id)::int AS last FROM ${sql(MIGRATION_TABLE)}`
  return row?.last ?? undefined
})

/**
 * All rows of a query, in batches, by a cursor of the transaction. Each query has a cursor of its own name:
 * the driver remembers the columns of a statement by its text.
 */
export const eachBatch = <A extends object, E, R>(
  name: string,
  query: string,
  use: (rows: ReadonlyArray<A>) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`DECLARE "rows of ${name}" NO SCROLL CURSOR FOR ${query}`)
    for (;;) {
      const rows = yield* sql.unsafe<A>(`FETCH ${ROWS} FROM "rows of ${name}"`)
      if (rows.length === 0) break
      yield* use(rows)
    }
    yield* sql.unsafe(`CLOSE "rows of ${name}"`)
  })

/** Writes one table to its file. */
export const dump = ({ columns, name }: Pick<Table, "name" | "columns">, directory: string) =>
  Effect.gen(function* () {
    const file = yield* writeLines(tablePath(directory, name))
    let rows = 0
    yield* eachBatch(name, `SELECT the_row::text AS row FROM "${name}" the_row`, (batch: ReadonlyArray<{ readonly row: string }>) => {
      rows += batch.length
      return file.write(batch.map(({ row }) => row))
    })
    return { name, columns, rows, sha256: yield* file.end }
  }).pipe(Effect.scoped)

/**
 * Removes all tables of the schema, those of the cluster and of later releases as well, with their views, and its functions. Those of an
 * extension stay with it.
 */
export const dropAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const all = yield* sql<{ readonly drop: string }>`
    SELECT made.drop FROM (
      SELECT tableoid, oid, 'TABLE ' || quote_ident(relname) AS drop FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      UNION ALL SELECT tableoid, oid, 'ROUTINE ' || oid::regprocedure FROM pg_proc WHERE pronamespace = current_schema()::regnamespace) made
    WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = made.tableoid AND d.objid = made.oid AND d.deptype = 'e')`
  for (const { drop } of all) yield* sql.unsafe(`DROP ${drop} CASCADE`)
})

/**
 * Fills the tables of a fresh schema with the rows of a backup, in a transaction of the caller's. Foreign
 * keys are taken away before and checked again afterwards, and no trigger adds to what the backup has, so the
 * order of tables does not matter.
 */
export const load = (backup: ReadonlyArray<Table>, directory: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sameTables(backup)
    yield* sql.unsafe(`TRUNCATE ${backup.map(({ name }) => `"${name}"`).join()}`)
    const keys = yield* sql<{ readonly table: string; readonly name: string; readonly definition: string }>`
      SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`
    for (const { name, table } of keys) yield* sql.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
    for (const table of backup) {
      yield* sql.unsafe(`ALTER TABLE "${table.name}" DISABLE TRIGGER USER`)
      yield* fill(table, directory)
      yield* sql.unsafe(`ALTER TABLE "${table.name}" ENABLE TRIGGER USER`)
    }
    for (const { definition, name, table } of keys) yield* sql.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    yield* continueSequences
  })

const sameTables = Effect.fnUntraced(function* (backup: ReadonlyArray<Table>) {
  const text = (all: ReadonlyArray<Pick<Table, "name" | "columns">>) => all.map(({ columns, name }) => `${name}(${columns.join()})`)
  const [made, wanted] = [text(yield* tables), text(backup)]
  const odd = [...wanted.filter((one) => !made.includes(one)), ...made.filter((one) => !wanted.includes(one))]
  if (odd.length > 0) return yield* refuse(`the backup has other tables than this release makes: ${odd[0]}`)
})

const fill = (table: Table, directory: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const computed = yield* sql<{ readonly name: string }>`
      SELECT attname AS name FROM pg_attribute WHERE attrelid = ${`"${table.name}"`}::text::regclass AND attgenerated <> '' AND NOT attisdropped`
    // Postgres computes a generated column from the others, and refuses a row that brings its value.
    const given = table.columns.filter((column) => !computed.some(({ name }) => name === column))
    const columns = given.map((name) => `"${name}"`).join()
    const insert = `INSERT INTO "${table.name}" (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM unnest($1::text::"${table.name}"[])`
    let rows = 0
    yield* Stream.runForEach(readLines<string>(tablePath(directory, table.name), ROWS), (batch) => {
      rows += batch.length
      return sql.unsafe(insert, [arrayOf(batch)])
    })
    if (rows !== table.rows) return yield* refuse(`the backup of table ${table.name} has ${rows} rows and should have ${table.rows}`)
  })

/** The text of a Postgres array of these texts. */
const arrayOf = (texts: ReadonlyArray<string>) => `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join()}}`

/** Generated numbers go on after the largest that there is. */
const continueSequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const generated = yield* sql<{ readonly table: string; readonly column: string; readonly sequence: string }>`
    SELECT c.relname AS table, a.attname AS column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL`
  for (const { column, sequence, table } of generated)
    yield* sql.unsafe(`SELECT setval('${sequence}', max("${column}")) FROM "${table}" HAVING max("${column}") IS NOT NULL`)
})
