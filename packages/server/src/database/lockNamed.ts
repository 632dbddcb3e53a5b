/**
 * An advisory lock on a name, held to the end of the transaction: for rules over several rows, some of
 * which do not exist yet. Each feature has names of its own. Two names with one hash wait for each
 * other, which only costs time.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export const lockNamed = (sql: SqlClient.SqlClient, name: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`

/** The same, without waiting: whether nobody else holds it. */
export const tryLockNamed = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(sql<{ readonly held: boolean }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS held`, ([row]) => row!.held)
