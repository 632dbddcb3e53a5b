/** Every statement on sign-ins of devices. Codes come hashed. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lockNamed } from "../../database/lockNamed.ts"
import { Instant } from "../../database/rows.ts"

const Sha256 = Schema.Uint8Array
const State = Schema.Literals(["pending", "approved", "denied"])

const SignInRow = Schema.Struct({ client_name: Schema.String, state: State, created_at: Instant, expires_at: Instant })

const Waiting = Schema.Struct({
  state: State,
  session_id: Schema.NullOr(Schema.String),
  client_name: Schema.String,
  asked_at: Schema.NullOr(Schema.Date),
  interval_s: Schema.Int
})

const Decider = Schema.Struct({ id: Schema.String, suspended: Schema.Boolean })

/**
 * How many sign-ins were live before this one, of everybody and of the address, and when the
 * address's first of them ends.
 */
const Added = Schema.Struct({ live: Schema.Int, of_address: Schema.Int, first_ends_at: Schema.NullOr(Schema.Date), added: Schema.Boolean })

/** An approval ends with the session that made it: one row of session by its primary key. */
const stateAt = (sql: SqlClient.SqlClient, now: Date) => sql`CASE WHEN approved IS NULL THEN 'pending'
  WHEN approved AND EXISTS (SELECT 1 FROM session s WHERE s.id = session_id AND s.expires_at > ${now}) THEN 'approved' ELSE 'denied' END AS state`

const makeOfDevices = (sql: SqlClient.SqlClient) => ({
  /** Sign-ins of one address begin one after another, so that each counts those before it. A statement before `begin`, which then sees them. */
  lockAddress: (address: string) => lockNamed(sql, `device sign-ins of ${address}`),

  /**
   * Inserts one row, unless there are too many live ones, or device_sign_in_user_code_sha256_key has the user
   * code. Counts by device_sign_in_expiry, whose live part is at most `live_max` rows, and those that begin
   * at the same moment at other addresses; the address is locked. Deletes the longest expired by the same index; skips rows that
   * another transaction has locked.
   */
  begin: SqlSchema.findOne({
    Request: Schema.Struct({
      device_code_sha256: Sha256,
      user_code_sha256: Sha256,
      address_sha256: Sha256,
      client_name: Schema.String,
      now: Schema.Date,
      expires_at: Schema.Date,
      interval_s: Schema.Int,
      live_max: Schema.Int,
      address_max: Schema.Int,
      pruned: Schema.Int
    }),
    Result: Added,
    execute: (row) => sql`
      WITH gone AS (
        DELETE FROM device_sign_in WHERE device_code_sha256 IN (
          SELECT device_code_sha256 FROM device_sign_in WHERE expires_at <= ${row.now}
          ORDER BY expires_at LIMIT ${row.pruned} FOR UPDATE SKIP LOCKED)
      ), counted AS (
        SELECT count(*)::int AS live, (count(*) FILTER (WHERE address_sha256 = ${row.address_sha256}))::int AS of_address,
          min(expires_at) FILTER (WHERE address_sha256 = ${row.address_sha256}) AS first_ends_at
        FROM device_sign_in WHERE expires_at > ${row.now}
      ), added AS (
        INSERT INTO device_sign_in (device_code_sha256, user_code_sha256, address_sha256, client_name, created_at, expires_at, interval_s)
        SELECT ${row.device_code_sha256}, ${row.user_code_sha256}, ${row.address_sha256}, ${row.client_name}, ${row.now}::timestamptz,
          ${row.expires_at}::timestamptz, ${row.interval_s}::int
        FROM counted WHERE live < ${row.live_max} AND of_address < ${row.address_max}
        ON CONFLICT (user_code_sha256) DO NOTHING RETURNING 1
      )
      SELECT live, of_address, first_ends_at, EXISTS (SELECT FROM added) AS added FROM counted`
  }),

  /**
   * One live row by the primary key, locked to the end of the transaction: of two that ask at one time, on
   * any nodes, one gets the session.
   */
  waiting: SqlSchema.findOneOption({
    Request: Schema.Struct({ device_code_sha256: Sha256, now: Schema.Date }),
    Result: Waiting,
    execute: ({ device_code_sha256, now }) => sql`
      SELECT ${stateAt(sql, now)}, client_name, session_id, asked_at, interval_s FROM device_sign_in
      WHERE device_code_sha256 = ${device_code_sha256} AND expires_at > ${now} FOR UPDATE`
  }),

  /** Locks one row by the primary key. */
  asked: (row: { readonly device_code_sha256: Uint8Array; readonly now: Date; readonly interval_s: number }) => sql`
    UPDATE device_sign_in SET asked_at = ${row.now}, interval_s = ${row.interval_s} WHERE device_code_sha256 = ${row.device_code_sha256}`,

  /** Deletes one row by the primary key. */
  end: (device_code_sha256: Uint8Array) => sql`DELETE FROM device_sign_in WHERE device_code_sha256 = ${device_code_sha256}`
})

const makeOfDeciders = (sql: SqlClient.SqlClient) => ({
  /**
   * Locks the account that has decided, by its primary key, so that a suspension and a sign-in follow one
   * another; none while nobody has. Before `waiting`, since a suspension by an older node locks the account first, too, and
   * then deletes rows that `waiting` locks.
   */
  holdDecider: SqlSchema.findOneOption({
    Request: Sha256,
    Result: Decider,
    execute: (device_code_sha256) => sql`
      SELECT id, suspended FROM account
      WHERE id = (SELECT account_id FROM device_sign_in WHERE device_code_sha256 = ${device_code_sha256}) FOR NO KEY UPDATE`
  }),

  /**
   * One row by the primary key. A statement after the locks, so that it sees a session that was ended while they were waited for;
   * whether it has expired, `waiting` says.
   */
  isThere: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ there: Schema.Boolean }),
    execute: (session_id) => sql`SELECT EXISTS (SELECT 1 FROM session WHERE id = ${session_id}) AS there`
  })
})

const makeOfPeople = (sql: SqlClient.SqlClient) => ({
  /**
   * The account's wrong tries since then. Locks its one row by the primary key to the end of the transaction:
   * tries are counted one by one.
   */
  tries: SqlSchema.findOne({
    Request: Schema.Struct({ account_id: Schema.String, since: Schema.Date }),
    Result: Schema.Struct({ wrong_at: Schema.Array(Schema.Date) }),
    execute: ({ account_id, since }) => sql`
      INSERT INTO device_try (account_id, wrong_at) VALUES (${account_id}, '{}')
      ON CONFLICT (account_id) DO UPDATE
        SET wrong_at = ARRAY(SELECT at FROM unnest(device_try.wrong_at) at WHERE at > ${since} ORDER BY at)
      RETURNING wrong_at`
  }),

  /** Locks one row by the primary key. */
  countWrong: ({ account_id, now }: { readonly account_id: string; readonly now: Date }) => sql`
    UPDATE device_try SET wrong_at = wrong_at || ${now}::timestamptz WHERE account_id = ${account_id}`,

  /** One live row by device_sign_in_user_code_sha256_key, unless somebody else has decided it. */
  named: SqlSchema.findOneOption({
    Request: Schema.Struct({ user_code_sha256: Sha256, account_id: Schema.String, now: Schema.Date }),
    Result: SignInRow,
    execute: ({ account_id, now, user_code_sha256 }) => sql`
      SELECT client_name, ${stateAt(sql, now)}, created_at, expires_at FROM device_sign_in
      WHERE user_code_sha256 = ${user_code_sha256} AND expires_at > ${now} AND (account_id IS NULL OR account_id = ${account_id})`
  }),

  /** Locks one live row by the same index. The person who approved may still refuse; a refusal stands. */
  decide: SqlSchema.findOneOption({
    Request: Schema.Struct({
      user_code_sha256: Sha256,
      account_id: Schema.String,
      session_id: Schema.String,
      approve: Schema.Boolean,
      now: Schema.Date
    }),
    Result: SignInRow,
    execute: ({ account_id, approve, now, session_id, user_code_sha256 }) => sql`
      UPDATE device_sign_in SET account_id = ${account_id}, session_id = ${session_id}, approved = ${approve}
      WHERE user_code_sha256 = ${user_code_sha256} AND expires_at > ${now}
        AND (account_id IS NULL OR (account_id = ${account_id} AND (approved OR NOT ${approve}::boolean)))
      RETURNING client_name, ${stateAt(sql, now)}, created_at, expires_at`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeOfDevices(sql),
  ...makeOfDeciders(sql),
  ...makeOfPeople(sql)
}))
