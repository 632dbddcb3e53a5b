/**
 * Lets the caller's work take as long as it needs, whatever limits the server, the database or the role of an operator's own has by
 * default. A release of Postgres knows only some of them: 17 brought that on whole transactions.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const LIMITS = ["statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout"]

const lifting = (names: ReadonlyArray<string>, ofTransaction: boolean): string =>
  `SELECT set_config(name, '0', ${ofTransaction}) FROM pg_settings WHERE name IN (${names.map((name) => `'${name}'`).join()})`

/** For the caller's transaction. */
export const unlimited = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(lifting(LIMITS, true)))

/** For the session, whose statements may be in no transaction and wait for locks as long as it takes. */
export const UNLIMITED_SESSION = lifting([...LIMITS, "lock_timeout"], false)
