/**
 * Lets the caller's transaction take as long as it needs, whatever limits the server, the database or the role of an operator's own has by
 * default. A release of Postgres knows only some of them: 17 brought that on whole transactions.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const unlimited = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`
)
