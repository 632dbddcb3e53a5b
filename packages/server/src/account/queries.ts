/** The statements on accounts, their profiles and their sessions. */

import { Account, Profile, SessionRow } from "@agon/api/account/api.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { publicOnly } from "../database/visibility.ts"
import { rank } from "../rating/standing.ts"

const AccountRow = Schema.Struct({ ...Account.fields, created_at: Instant })

const { current: _, ...sessionFields } = SessionRow.fields
const StoredSession = Schema.Struct({ ...sessionFields, created_at: Instant, last_seen_at: Instant, expires_at: Instant })
export type StoredSession = typeof StoredSession.Type

const SignedInRow = Schema.Struct({
  id: Schema.String,
  session_id: Schema.String,
  username: Schema.String,
  admin: Schema.Boolean,
  stale: Schema.Boolean
})

const { standings: __, ...profileFields } = Profile.fields
const ProfileRow = Schema.Struct({ ...profileFields, id: Schema.String, created_at: Instant })
const StandingRow = Schema.Struct({
  game: Schema.String,
  season: Schema.String,
  season_id: Schema.String,
  ladder: Ladder,
  rank: Schema.Int,
  mu: Schema.Number,
  model_id: Schema.String,
  version_id: Schema.String
})

const Sha256 = Schema.Uint8Array

const makeProfiles = (sql: SqlClient.SqlClient) => ({
  /** One account by account_username, with its models by model_name, the oldest first. */
  profile: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: ProfileRow,
    execute: (username) => sql`
      SELECT a.id, a.username, a.display_name, a.bio, a.created_at,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'game', m.game, 'retired', m.retired)
            ORDER BY m.created_at, m.id), '[]')
          FROM model m WHERE m.owner_id = a.id) AS models
      FROM account a WHERE a.username = ${username}`
  }),

  /**
   * The standings of an account's entered versions in public seasons, by version_owner,
   * rating_version and rating_rank.
   */
  standings: SqlSchema.findAll({
    Request: Schema.String,
    Result: StandingRow,
    execute: (owner_id) => sql`
      SELECT s.game, s.slug AS season, s.id AS season_id, r.ladder, (${sql.literal(rank)})::int AS rank, r.mu, v.model_id, v.id AS version_id
      FROM version v JOIN season s ON s.id = v.season_id JOIN standing r ON r.version_id = v.id
      WHERE v.owner_id = ${owner_id} AND v.status = 'entered' AND r.active AND ${sql.literal(publicOnly())}
      ORDER BY s.submissions_open_at DESC, s.created_at DESC, s.id, r.ladder, rank`
  })
})

const makeReads = (sql: SqlClient.SqlClient) => ({
  /**
   * One row by session(token_sha256), unique, and its account's primary key. No lock: a session revoked this
   * instant may finish one request.
   */
  bySession: SqlSchema.findOneOption({
    Request: Schema.Struct({ token_sha256: Sha256, now: Schema.Date, seen_before: Schema.Date }),
    Result: SignedInRow,
    execute: ({ now, seen_before, token_sha256 }) => sql`
      SELECT a.id, s.id AS session_id, a.username, a.admin, s.last_seen_at < ${seen_before} AS stale
      FROM session s JOIN account a ON a.id = s.account_id
      WHERE s.token_sha256 = ${token_sha256} AND s.expires_at > ${now} AND NOT a.suspended`
  }),

  /**
   * One account by its primary key, with its identities by identity_account and its
   * seasons by season_admin_account.
   */
  byId: SqlSchema.findOne({
    Request: Schema.String,
    Result: AccountRow,
    execute: (id) => sql`
      SELECT a.id, a.username, a.display_name, a.bio, a.admin, a.created_at,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'login', i.login) ORDER BY i.created_at), '[]')
          FROM identity i WHERE i.account_id = a.id) AS identities,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('game', s.game, 'season', s.slug) ORDER BY s.created_at DESC), '[]')
          FROM season_admin sa JOIN season s ON s.id = sa.season_id WHERE sa.account_id = a.id) AS season_admin
      FROM account a WHERE a.id = ${id}`
  }),

  /** Live sessions of an account, newest first, by session_account; few rows. */
  sessions: SqlSchema.findAll({
    Request: Schema.Struct({ account_id: Schema.String, now: Schema.Date, limit: Schema.Int, offset: Schema.Int }),
    Result: Schema.Struct({ ...StoredSession.fields, total: Schema.Int }),
    execute: ({ account_id, limit, now, offset }) => sql`
      SELECT id, created_at, last_seen_at, expires_at, user_agent, (count(*) OVER ())::int AS total
      FROM session WHERE account_id = ${account_id} AND expires_at > ${now}
      ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index, for a page past the end. */
  sessionCount: SqlSchema.findOne({
    Request: Schema.Struct({ account_id: Schema.String, now: Schema.Date }),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: ({ account_id, now }) => sql`
      SELECT count(*)::int AS total FROM session WHERE account_id = ${account_id} AND expires_at > ${now}`
  }),

  /** The first of the given words that is on the list, by word_pkey. */
  listed: SqlSchema.findOneOption({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ word: Schema.String }),
    execute: (words) => sql`
      SELECT coalesce(w.spelled, w.word) AS word FROM word w WHERE w.word = ANY (string_to_array(${words.join(" ")}, ' ')) ORDER BY w.word LIMIT 1`
  })
})

const makeWrites = (sql: SqlClient.SqlClient) => ({
  /** Locks one row by the primary key; a null leaves the column as it is. */
  edit: ({ bio, display_name, id }: { readonly id: string; readonly display_name: string | null; readonly bio: string | null }) => sql`
    UPDATE account SET display_name = coalesce(${display_name}::text, display_name), bio = coalesce(${bio}::text, bio) WHERE id = ${id}`,

  /** Locks one row by the primary key; at most once a minute for each session. */
  touch: ({ id, now }: { readonly id: string; readonly now: Date }) => sql`UPDATE session SET last_seen_at = ${now} WHERE id = ${id}`,

  /**
   * Inserts one row; deletes the account's expired rows and all but the newest `others`, by session_account.
   * Runs under the account's lock unless the account is new.
   */
  openSession: (row: {
    readonly id: string
    readonly account_id: string
    readonly token_sha256: Uint8Array
    readonly user_agent: string | null
    readonly now: Date
    readonly expires_at: Date
    readonly others: number
  }) => sql`
    WITH placed AS (
      SELECT id, expires_at, row_number() OVER (ORDER BY created_at DESC, id DESC) AS place FROM session WHERE account_id = ${row.account_id}
    ), gone AS (
      DELETE FROM session s USING placed p WHERE s.id = p.id AND (p.expires_at <= ${row.now} OR p.place > ${row.others})
    )
    INSERT INTO session (id, account_id, token_sha256, user_agent, created_at, last_seen_at, expires_at)
    VALUES (${row.id}, ${row.account_id}, ${row.token_sha256}, ${row.user_agent}, ${row.now}, ${row.now}, ${row.expires_at})`,

  /**
   * Deletes the longest expired by session_expiry; skips rows that another transaction
   * has locked, so it never waits.
   */
  sweepSessions: (now: Date, most: number) => sql`
    DELETE FROM session WHERE id IN (
      SELECT id FROM session WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${most} FOR UPDATE SKIP LOCKED)`,

  /** Deletes one live row of the account, by the primary key. */
  endSession: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, account_id: Schema.String, now: Schema.Date }),
    Result: StoredSession,
    execute: ({ account_id, id, now }) => sql`
      DELETE FROM session WHERE id = ${id} AND account_id = ${account_id} AND expires_at > ${now}
      RETURNING id, created_at, last_seen_at, expires_at, user_agent`
  })
})

/** One row by account_username; used wherever an account is named by its username. */
export const accountNamed = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ id: Schema.String }),
    execute: (username) => sql`SELECT id FROM account WHERE username = ${username}`
  })

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeProfiles(sql),
  ...makeReads(sql),
  ...makeWrites(sql)
}))
