/** Every statement on accounts for those who administer them. */

import { User } from "@agon/api/admin/User.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { accountNamed } from "../account/queries.ts"
import { begins, firstBy } from "../database/beginning.ts"
import { lockNamed } from "../database/lockNamed.ts"
import { Instant } from "../database/rows.ts"

const UserRow = Schema.Struct({ ...User.fields, created_at: Instant })

const AccountState = Schema.Struct({ id: Schema.String, admin: Schema.Boolean, suspended: Schema.Boolean })
export type AccountState = typeof AccountState.Type

/** The columns of an account `a`; its identities by identity_account. */
const columns = `a.username, a.display_name, a.admin, a.suspended, a.created_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'login', i.login) ORDER BY i.created_at, i.provider, i.subject), '[]')
    FROM identity i WHERE i.account_id = a.id) AS identities`

/** The most accounts that a search finds by each of the three names; a longer search term narrows it. */
const FOUND_MAX = 300

const makeReads = (sql: SqlClient.SqlClient) => {
  const starting = (name: string, start: string) => sql`${begins(sql, name, start)} ${firstBy(sql, name, FOUND_MAX)}`

  return {
    /** A page by account_newest. */
    newest: SqlSchema.findAll({
      Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
      Result: UserRow,
      execute: ({ limit, offset }) => sql`
        SELECT ${sql.literal(columns)} FROM (SELECT * FROM account ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) a
        ORDER BY a.created_at DESC, a.id DESC`
    }),

    /**
     * A page of those found by account_username_start, account_name_start and identity_login_start; each by
     * account_pkey (hence OFFSET 0).
     */
    found: SqlSchema.findAll({
      Request: Schema.Struct({ start: Schema.String, limit: Schema.Int, offset: Schema.Int }),
      Result: UserRow,
      execute: ({ limit, offset, start }) => sql`
        WITH found AS (
          (SELECT id FROM account WHERE ${starting("username", start)})
          UNION (SELECT id FROM account WHERE ${starting("lower(display_name)", start)})
          UNION (SELECT account_id FROM identity WHERE ${starting("lower(login)", start)}))
        SELECT ${sql.literal(columns)} FROM found CROSS JOIN LATERAL (SELECT * FROM account WHERE id = found.id OFFSET 0) a
        ORDER BY a.username <> lower(${start}::text), a.username LIMIT ${limit} OFFSET ${offset}`
    }),

    /** One row by account_username. */
    user: SqlSchema.findOne({
      Request: Schema.String,
      Result: UserRow,
      execute: (username) => sql`SELECT ${sql.literal(columns)} FROM account a WHERE a.username = ${username}`
    })
  }
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeReads(sql),

  named: accountNamed(sql),

  /** To the end of the transaction: changes of administrator rights run one after the other. */
  lockOffice: () => lockNamed(sql, "administrators"),

  /** One row by the primary key, without a lock: `lockOffice` already excludes other demotions and suspensions. */
  stateOf: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: AccountState,
    execute: (id) => sql`SELECT id, admin, suspended FROM account WHERE id = ${id}`
  }),

  /** Locks one row by account_username, so that a suspension and a sign-in follow one another. */
  hold: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: AccountState,
    execute: (username) => sql`SELECT id, admin, suspended FROM account WHERE username = ${username} FOR NO KEY UPDATE`
  }),

  /** Changes one row by the primary key, which `hold` has locked. */
  set: ({ admin, id, suspended }: AccountState) => sql`UPDATE account SET admin = ${admin}, suspended = ${suspended} WHERE id = ${id}`,

  /**
   * Deletes an account's sessions by session_account; a statement after `hold`, so that it sees the session of an earlier
   * sign-in. Devices that it has approved are refused from then on, since an approval ends with its session.
   */
  endSessions: (account_id: string) => sql`DELETE FROM session WHERE account_id = ${account_id}`
}))
