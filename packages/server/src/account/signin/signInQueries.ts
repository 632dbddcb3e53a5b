/** The statements of a sign-in: its state, the identity, and the account that it is linked to or makes. */

import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lockNamed } from "../../database/lockNamed.ts"

const Holder = Schema.Struct({ account_id: Schema.String, login: Schema.String, suspended: Schema.Boolean })

const makeIdentities = (sql: SqlClient.SqlClient) => ({
  /** To the end of the transaction: two first sign-ins of one identity make one account. */
  lockIdentity: (provider: string, subject: string) => lockNamed(sql, `${provider} ${subject}`),

  /**
   * One row by the primary key; locks the account, so that a suspension and a sign-in follow one another. Not its key: no
   * commit of a season that tells the account something waits for it.
   */
  holderOf: SqlSchema.findOneOption({
    Request: Schema.Struct({ provider: Schema.String, subject: Schema.String }),
    Result: Holder,
    execute: ({ provider, subject }) => sql`
      SELECT i.account_id, i.login, a.suspended FROM identity i JOIN account a ON a.id = i.account_id
      WHERE i.provider = ${provider} AND i.subject = ${subject} FOR NO KEY UPDATE OF a`
  }),

  /** One live session of the account, by session_token; locks the account as `holderOf` does, and has none of a suspended one. */
  holdAsking: SqlSchema.findOneOption({
    Request: Schema.Struct({ account_id: Schema.String, token_sha256: Schema.Uint8Array, now: Schema.Date }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ account_id, now, token_sha256 }) => sql`
      SELECT s.id FROM session s JOIN account a ON a.id = s.account_id
      WHERE s.token_sha256 = ${token_sha256} AND s.expires_at > ${now} AND a.id = ${account_id} AND NOT a.suspended FOR NO KEY UPDATE OF a`
  }),

  /** Inserts one row, or brings its login up to date, by the primary key. */
  putIdentity: (row: {
    readonly provider: string
    readonly subject: string
    readonly account_id: string
    readonly login: string
    readonly email: string | null
    readonly now: Date
  }) => sql`
    INSERT INTO identity (provider, subject, account_id, login, email, email_at, created_at)
    VALUES (${row.provider}, ${row.subject}, ${row.account_id}, ${row.login}, ${row.email}::text, ${row.now}::timestamptz, ${row.now})
    ON CONFLICT (provider, subject) DO UPDATE SET login = excluded.login, email = excluded.email, email_at = excluded.email_at`,

  /**
   * Inserts one row, or none where sign_in_used_pkey has the state: of two uses, on any nodes,
   * only one succeeds. Deletes the longest expired by sign_in_used_expiry; skips rows that
   * another transaction has locked.
   */
  useState: SqlSchema.findOneOption({
    Request: Schema.Struct({ state: Schema.String, expires_at: Schema.Date, now: Schema.Date, pruned: Schema.Int }),
    Result: Schema.Struct({ state: Schema.String }),
    execute: ({ expires_at, now, pruned, state }) => sql`
      WITH gone AS (DELETE FROM sign_in_used WHERE state IN (
        SELECT state FROM sign_in_used WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${pruned} FOR UPDATE SKIP LOCKED))
      INSERT INTO sign_in_used (state, expires_at) VALUES (${state}, ${expires_at}) ON CONFLICT DO NOTHING RETURNING state`
  })
})

const makeAccounts = (sql: SqlClient.SqlClient) => ({
  /** The name itself or, where somebody has it, the first of `ada2`, `ada3` … that is free: a look by account_username for each. */
  freeUsername: SqlSchema.findOne({
    Request: Schema.Struct({ username: Schema.String }),
    Result: Schema.Struct({ username: Schema.String }),
    execute: ({ username }) => sql`
      WITH RECURSIVE tried (n, username) AS (
        SELECT 1, ${username}::text
        UNION ALL SELECT n + 1, ${username}::text || (n + 1) FROM tried WHERE EXISTS (SELECT 1 FROM account a WHERE a.username = tried.username))
      SELECT username FROM tried ORDER BY n DESC LIMIT 1`
  }),

  /** Inserts one row, or none where account_username shows that the name was taken meanwhile. */
  addAccount: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, username: Schema.String, display_name: Schema.String, now: Schema.Date }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ display_name, id, now, username }) => sql`
      INSERT INTO account (id, username, display_name, created_at) VALUES (${id}, ${username}, ${display_name}, ${now})
      ON CONFLICT (username) DO NOTHING RETURNING id`
  }),

  /** Inserts one row, or locks the one that admin_login_pkey has; gives the subject that was first. */
  claimAdminLogin: SqlSchema.findOne({
    Request: Schema.Struct({ provider: Schema.String, login: Schema.String, subject: Schema.String }),
    Result: Schema.Struct({ subject: Schema.String }),
    execute: ({ login, provider, subject }) => sql`
      INSERT INTO admin_login (provider, login, subject) VALUES (${provider}, lower(${login}), ${subject})
      ON CONFLICT (provider, login) DO UPDATE SET subject = admin_login.subject RETURNING subject`
  }),

  /** Locks one row by the primary key; none where the account is an administrator already. */
  makeAdmin: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ username: Schema.String }),
    execute: (id) => sql`UPDATE account SET admin = true WHERE id = ${id} AND NOT admin RETURNING username`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeIdentities(sql), ...makeAccounts(sql) }))
