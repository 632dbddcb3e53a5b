/**
 * Every statement on the right of owners to take part in seasons, and on the checks of it that are to be
 * made (season/OwnerChecks.ts).
 */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lockNamed } from "../database/lockNamed.ts"
import { entry } from "../database/visibility.ts"

/** Checks in one look, in any order, so that those of a season that is away do not hold up the others. */
const CHECKS_MAX = 200

const Check = Schema.Struct({ id: Schema.String, season_id: Schema.String, account_id: Schema.String })
export type Check = typeof Check.Type

const LOCK = "who uses which login"

/**
 * To the end of the transaction: rosters change one after the other, and no login changes meanwhile. The
 * first lock of the transaction.
 */
const lockLogins = (sql: SqlClient.SqlClient) => lockNamed(sql, LOCK)
/** The same for a sign-in: others sign in at the same time, and no roster changes meanwhile. */
export const shareLogins = (sql: SqlClient.SqlClient) => sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`

/**
 * A check for each open season, by its rows, which are few. Not only where the account has versions: one may
 * be entering whose transaction this one does not see.
 */
export const checkAccount = (sql: SqlClient.SqlClient, account_id: string) => sql`
  INSERT INTO owner_check (id, season_id, account_id) SELECT new_id(now()), s.id, ${account_id} FROM season s WHERE s.closed_at IS NULL`

/**
 * Those of these accounts that are suspended or not on the season's roster, where it has one. By
 * account_pkey, season_pkey, identity_account and participant_login.
 */
export const removedOwners = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, accounts: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ accounts, season_id }) => sql`
      SELECT a.id FROM season s JOIN account a ON a.id = ANY (string_to_array(${accounts.join()}, ',')::uuid[])
      WHERE s.id = ${season_id} AND (a.suspended OR (${sql.literal(entry)} = 'restricted' AND NOT EXISTS (
        SELECT 1 FROM identity i JOIN participant p ON p.season_id = s.id AND p.provider = i.provider AND lower(p.login) = lower(i.login)
        WHERE i.account_id = a.id)))`
  })

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * A check for each account that uses one of the logins, by identity_login; whether or not it has
   * versions, as for `checkAccount`.
   */
  ofRoster: (season_id: string, provider: string, logins: ReadonlyArray<string>) => sql`
    INSERT INTO owner_check (id, season_id, account_id) SELECT new_id(now()), s.id, a.account_id
    FROM season s CROSS JOIN (SELECT DISTINCT i.account_id FROM jsonb_array_elements_text(${JSON.stringify(logins)}::jsonb) w(login)
      JOIN identity i ON i.provider = ${provider} AND lower(i.login) = lower(w.login)) a
    WHERE s.id = ${season_id} AND ${sql.literal(entry)} = 'restricted' AND s.closed_at IS NULL`,

  ofAccount: (account_id: string) => checkAccount(sql, account_id),

  lockLogins: () => lockLogins(sql),

  removed: removedOwners(sql),

  /** A small table. */
  due: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Check,
    execute: () => sql`SELECT id, season_id, account_id FROM owner_check ORDER BY random() LIMIT ${CHECKS_MAX}`
  }),

  /** One row by owner_check_pkey. */
  done: (id: string) => sql`DELETE FROM owner_check WHERE id = ${id}`
}))
