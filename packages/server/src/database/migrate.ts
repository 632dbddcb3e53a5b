/**
 * Brings the schema up to date, once, however many services start at the same time: the
 * holder of the advisory lock applies the missing migrations in one transaction; the others
 * wait and find nothing left to do.
 *
 * Nodes of an older release may be playing on the database meanwhile, and may be started again on the
 * newer schema: they leave migrations alone that they do not know. A migration that they would not
 * survive says so in its name (packages/server/README.md#migrations), and `beside.ts` keeps such a
 * schema and such nodes apart.
 */
import { Effect, Schedule } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { type Applied, olderNodesGone, playsOn } from "./beside.ts"
import { refuseDatabase } from "./DatabaseName.ts"
import { migrations } from "./migrations/index.ts"
import { unlimited } from "./unlimited.ts"
import { unwritable } from "./writable.ts"

/** Any fixed number: it names this lock among the advisory locks of the database. */
const LOCK = 4_607_182

/** A service that waits longer than this for another one's migrations gives up with an error instead of hanging. */
const LOCK_TIMEOUT = "60s"

export const MIGRATION_TABLE = "agon_migration"

type Migrations = Readonly<Record<string, (typeof migrations)[keyof typeof migrations]>>

const numberOf = (name: string) => Number.parseInt(name, 10)

/** The numbers of all migrations of this release, ascending. */
export const MIGRATION_NUMBERS: ReadonlyArray<number> = Object.keys(migrations)
  .map(numberOf)
  .toSorted((a, b) => a - b)

/** Applies the migrations that the database lacks and answers them as [number, name]. */
export const migrate = Effect.suspend(() => migrateTo(Number.POSITIVE_INFINITY))

/** The same up to the migration of that number: the schema as an earlier release had it. */
export const migrateTo = (upTo: number) => migrateBy(migrations, upTo)

/**
 * The same as a release would with those migrations. It refuses a schema that needs a later release, and a
 * step that older nodes forbid.
 */
export const migrateBy = Effect.fnUntraced(function* (known: Migrations, upTo = Number.POSITIVE_INFINITY) {
  const sql = yield* SqlClient.SqlClient
  const last = Math.max(...Object.keys(known).map(numberOf))
  const wanted = Object.fromEntries(Object.entries(known).filter(([name]) => numberOf(name) <= upTo))
  const brought = sql.withTransaction(
    Effect.gen(function* () {
      yield* unlimited
      yield* sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
      yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
      const applied = yield* has
      yield* playsOn(applied, last)
      const lacked = lackedBy(applied, Object.keys(wanted))
      // The library answers a refused CREATE TABLE with that of the look that it takes in the aborted transaction.
      const reason = yield* unwritable(lacked.length > 0)
      if (reason !== undefined) return yield* refuseDatabase(reason)
      yield* olderNodesGone(lacked)
      return yield* Migrator.make({})({ table: MIGRATION_TABLE, loader: Migrator.fromRecord(wanted) })
    })
  )
  return yield* Effect.retry(brought, { while: isDeadlock, times: DEADLOCKS_MAX, schedule: Schedule.spaced(AFTER_DEADLOCK) })
})

/**
 * Nodes that play hold a table and want another, and the migrations may hold the other and want the first. Postgres then ends the
 * transaction of one of them; it was never there, and begins again.
 */
const DEADLOCKS_MAX = 10
const AFTER_DEADLOCK = "500 millis"

/** Whether Postgres ended a statement to resolve a deadlock: the library of migrations wraps the error of one. */
const isDeadlock = (error: unknown): boolean => {
  if (SqlError.isSqlError(error)) return error.reason._tag === "DeadlockError"
  return error instanceof Error && isDeadlock(error.cause)
}

/**
 * For a node whose connections to the others are open. A migration that it would not survive looks for
 * these. One that had its turn before they were is through once the lock is free, and the node must not go
 * on; each later one finds them.
 */
export const stillPlaysOn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* unlimited
      yield* sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
      yield* sql`SELECT pg_advisory_xact_lock_shared(${LOCK})`
      yield* playsOn(yield* has, MIGRATION_NUMBERS.at(-1)!)
    })
  )
})

/** Those that the library will apply: all after the last one that the database has. */
const lackedBy = (applied: ReadonlyArray<Applied>, names: ReadonlyArray<string>): ReadonlyArray<Applied> =>
  names.flatMap((name) =>
    numberOf(name) > (applied.at(-1)?.[0] ?? 0) ? [[numberOf(name), name.slice(name.indexOf("_") + 1)] as const] : []
  )

/** The migrations that the database has, in order. */
export const has = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly is: boolean }>`SELECT to_regclass(${MIGRATION_TABLE}) IS NOT NULL AS is`
  if (!found!.is) return []
  const rows = yield* sql<{ readonly id: number; readonly name: string }>`
    SELECT migration_id::int AS id, name FROM ${sql(MIGRATION_TABLE)} ORDER BY 1`
  return rows.map(({ id, name }) => [id, name] as const)
})
