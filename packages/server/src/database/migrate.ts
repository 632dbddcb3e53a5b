/**
 * Brings the schema up to date, once, however many services start at the same time: the holder of the advisory lock applies the missing
 * migrations in one transaction; the others wait and find nothing left to do.
 */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrations } from "./migrations/index.ts"

/** Any fixed number: it names this lock among the advisory locks of the database. */
const LOCK = 4_607_182

/** A service that waits longer than this for another one's migrations gives up with an error instead of hanging. */
const LOCK_TIMEOUT = "60s"

export const MIGRATION_TABLE = "agon_migration"

const applied = (upTo: number) => {
  const known = Object.entries(migrations).filter(([name]) => numberOf(name) <= upTo)
  return Migrator.make({})({ table: MIGRATION_TABLE, loader: Migrator.fromRecord(Object.fromEntries(known)) })
}

const numberOf = (name: string) => Number.parseInt(name, 10)

/** The numbers of all migrations of this release, ascending. */
export const MIGRATION_NUMBERS: ReadonlyArray<number> = Object.keys(migrations)
  .map(numberOf)
  .toSorted((a, b) => a - b)

/** Applies the migrations that the database lacks and answers them as [number, name]. */
export const migrate = Effect.suspend(() => migrateTo(Number.POSITIVE_INFINITY))

/** The same up to the migration of that number: the schema as an earlier release had it. */
export const migrateTo = Effect.fnUntraced(function* (upTo: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true), set_config('statement_timeout', '0', true)`
      yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
      return yield* applied(upTo)
    })
  )
})
