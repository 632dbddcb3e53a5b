/** Every statement on rosters and on the administrators of seasons. */
import { Participant, SeasonAdministrator } from "@agon/api/season/people.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { accountNamed } from "../account/queries.ts"
import { Instant } from "../database/rows.ts"

const ParticipantRow = Schema.Struct({ ...Participant.fields, added_at: Instant })
const AdministratorRow = Schema.Struct({ ...SeasonAdministrator.fields, added_at: Instant })
const Total = Schema.Struct({ total: Schema.Int })
const page = { season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }

/** The account behind a login, by identity_login: of several accounts that have used it, the latest. */
const columns = `p.id, p.login, p.provider, p.added_at,
  (SELECT a.username FROM identity i JOIN account a ON a.id = i.account_id
    WHERE i.provider = p.provider AND lower(i.login) = lower(p.login) ORDER BY i.created_at DESC LIMIT 1) AS username`

const makeRosters = (sql: SqlClient.SqlClient) => ({
  /**
   * By the first column of participant_login, sorted; a roster is some hundred rows. Every
   * login contains the empty `part`.
   */
  participants: SqlSchema.findAll({
    Request: Schema.Struct({ ...page, part: Schema.String }),
    Result: ParticipantRow,
    execute: ({ limit, offset, part, season_id }) => sql`
      SELECT ${sql.literal(columns)} FROM participant p
      WHERE p.season_id = ${season_id} AND strpos(lower(p.login), lower(${part}::text)) > 0
      ORDER BY p.added_at, p.id LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  participantCount: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, part: Schema.String }),
    Result: Total,
    execute: ({ part, season_id }) => sql`
      SELECT count(*)::int AS total FROM participant
      WHERE season_id = ${season_id} AND strpos(lower(login), lower(${part}::text)) > 0`
  }),

  /** Inserts the logins that are not in participant_login yet, and answers those. */
  addParticipants: SqlSchema.findAll({
    Request: Schema.Struct({
      season_id: Schema.String,
      provider: Schema.String,
      rows: Schema.Array(Schema.Struct({ id: Schema.String, login: Schema.String })),
      now: Schema.Date
    }),
    Result: Schema.Struct({ login: Schema.String }),
    execute: ({ now, provider, rows, season_id }) => sql`
      INSERT INTO participant (id, season_id, provider, login, added_at)
      SELECT r.id, ${season_id}::uuid, ${provider}, r.login, ${now}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r(id uuid, login text)
      ON CONFLICT (season_id, provider, lower(login)) DO NOTHING RETURNING login`
  }),

  /** One row for each login, by participant_login. */
  byLogins: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, provider: Schema.String, logins: Schema.Array(Schema.String) }),
    Result: ParticipantRow,
    execute: ({ logins, provider, season_id }) => sql`
      SELECT ${sql.literal(columns)}
      FROM jsonb_array_elements_text(${JSON.stringify(logins)}::jsonb) WITH ORDINALITY w(login, n)
      JOIN participant p ON p.season_id = ${season_id} AND p.provider = ${provider} AND lower(p.login) = lower(w.login)
      ORDER BY w.n`
  }),

  /** Deletes one row by the primary key, of this season only. */
  removeParticipant: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, id: Schema.String }),
    Result: ParticipantRow,
    execute: ({ id, season_id }) => sql`
      WITH p AS (DELETE FROM participant WHERE id = ${id} AND season_id = ${season_id} RETURNING *) SELECT ${sql.literal(columns)} FROM p`
  })
})

const makeAdministrators = (sql: SqlClient.SqlClient) => ({
  /** By season_admin_pkey, a few rows, in the order of appointment. */
  administrators: SqlSchema.findAll({
    Request: Schema.Struct(page),
    Result: AdministratorRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT a.username, a.display_name, w.added_at FROM season_admin w JOIN account a ON a.id = w.account_id
      WHERE w.season_id = ${season_id} ORDER BY w.added_at, a.username LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  administratorCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Total,
    execute: (season_id) => sql`SELECT count(*)::int AS total FROM season_admin WHERE season_id = ${season_id}`
  }),

  account: accountNamed(sql),

  /** Inserts one row, or none where season_admin_pkey has it. */
  appoint: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, account_id: Schema.String, now: Schema.Date }),
    Result: Schema.Struct({ account_id: Schema.String }),
    execute: ({ account_id, now, season_id }) => sql`
      INSERT INTO season_admin (season_id, account_id, added_at) VALUES (${season_id}, ${account_id}, ${now})
      ON CONFLICT (season_id, account_id) DO NOTHING RETURNING account_id`
  }),

  /** One row by season_admin_pkey. */
  administrator: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, account_id: Schema.String }),
    Result: AdministratorRow,
    execute: ({ account_id, season_id }) => sql`
      SELECT a.username, a.display_name, w.added_at FROM season_admin w JOIN account a ON a.id = w.account_id
      WHERE w.season_id = ${season_id} AND w.account_id = ${account_id}`
  }),

  /** Deletes one row by season_admin_pkey. */
  dismiss: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, username: Schema.String }),
    Result: Schema.Struct({ ...AdministratorRow.fields, account_id: Schema.String }),
    execute: ({ season_id, username }) => sql`
      DELETE FROM season_admin w USING account a
      WHERE w.season_id = ${season_id} AND a.id = w.account_id AND a.username = ${username}
      RETURNING a.username, a.display_name, w.added_at, w.account_id`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeRosters(sql), ...makeAdministrators(sql) }))
