/** Whether the service may write the database, and make its tables there: said before Postgres refuses a statement of a migration. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Rights {
  readonly standby: boolean
  readonly read_only: boolean
  readonly role: string
  readonly schema: string | null
  readonly makes: boolean | null
}

/** Why the service cannot write, and the remedy; undefined where it can. `makes` asks for the right to make tables as well. */
export const unwritable = Effect.fnUntraced(function* (makes: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [rights] = yield* sql<Rights>`
    SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only, current_user::text AS role,
      current_schema()::text AS schema, has_schema_privilege(current_schema()::text, 'CREATE') AS makes`
  return reasonOf(rights!, makes)
})

const reasonOf = ({ makes, read_only, role, schema, standby }: Rights, asked: boolean): string | undefined => {
  if (standby) return "the server is a standby, which takes no writes; name its primary"
  if (read_only) return "the database takes no writes; set default_transaction_read_only to off"
  if (schema === null)
    return `no schema of its search_path is there for the role "${role}"; mend the search_path, or grant the role USAGE and CREATE on the schema`
  return asked && makes === false
    ? `the role "${role}" may not make tables; grant it CREATE on the schema "${schema}", or make it the database's owner`
    : undefined
}
