/** The statements on the sessions of runners: opened, marked as seen, closed, gone and back again. */

import { EngineOfRunner } from "@agon/api/runner/protocol.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { storableJson } from "../../database/storable.ts"
import { FLAGS_MAX } from "../../match/voidingQueries.ts"
import { IN_FORCE } from "../keyInForce.ts"
import { Held, leasesOf, openLeases } from "./leaseQueries.ts"

const OpenRunner = Schema.Struct({
  id: Schema.String,
  key_id: Schema.String,
  slots: Schema.Int,
  state: Schema.Literals(["active", "draining", "gone"]),
  accepts: Schema.Array(Schema.Literals(["match", "admission", "audit"])),
  engines: Schema.Array(EngineOfRunner),
  runtime_version: Schema.String
})
export type OpenRunner = typeof OpenRunner.Type

/** A session as its runner describes it, in text that can be stored. */
export interface NewSession extends Omit<OpenRunner, "key_id" | "state"> {
  readonly name: string
  readonly isolation: string | null
}

/** `state` is null where it was not opened. `flagged`: so many runners of its key were, within a day. */
export interface OpenedSession {
  readonly id: string
  readonly state: OpenRunner["state"] | null
  readonly flagged: number
  readonly in_force: boolean
}

/** `silent`: it was not heard of for too long. Else it was drained, and is done. */
interface SweptRunner {
  readonly runner: string
  readonly name: string
  readonly key: string
  readonly silent: boolean
}

/** Sessions of one key that are not gone: a machine has one, and a second after a restart. */
export const SESSIONS_MAX = 128
/** Gone runners of one key that can still be looked up and flagged. */
const GONE_RUNNERS_MAX = 1_000

const openRunner = `r.id, r.key_id, r.slots, CASE WHEN r.stopped THEN 'draining' ELSE r.state END AS state, r.accepts, r.engines, r.runtime_version`

const makeCallers = (sql: SqlClient.SqlClient) => ({
  /** Rows by the primary key. A join, since a list would be parsed out of its text anew for every row. */
  sessions: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: OpenRunner,
    execute: (ids) => sql`
      SELECT ${sql.literal(openRunner)} FROM unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS asked (id) JOIN runner r ON r.id = asked.id`
  }),

  /** The same, each with all leases that it holds: of the small tables of open work and of match_audit. */
  sessionsHolding: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ ...OpenRunner.fields, leases: Schema.Array(Held) }),
    execute: (ids) => sql`
      WITH asked AS (SELECT unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS id),
        held AS (SELECT h.runner, jsonb_agg(to_jsonb(h)) AS leases FROM (${sql.literal(openLeases("o.runner = asked.id"))}) h GROUP BY h.runner)
      SELECT ${sql.literal(openRunner)}, coalesce(held.leases, '[]') AS leases
      FROM asked JOIN runner r ON r.id = asked.id LEFT JOIN held ON held.runner = r.id`
  })
})

const makeOpening = (sql: SqlClient.SqlClient) => ({
  /**
   * One row by the primary key, locked to the end of the transaction: the sessions of a key are counted and opened one after another, and
   * not while one of its runners is flagged (match/voidingQueries.ts) or it ends (runner/key/keyQueries.ts).
   */
  holdKey: (key_id: string) => sql`SELECT id FROM runner_key WHERE id = ${key_id} FOR NO KEY UPDATE`,

  /**
   * Inserts a row for each session of the key, in order, unless the key is out of force or has its maximum: then `state` is null. A key whose
   * runners were flagged repeatedly gets sessions without work, except the key of the service's own runner (it has no creator), which is the
   * operator's responsibility. The key is held. By runner_of_key.
   */
  openSessions: ({
    key_id,
    now,
    sessions
  }: {
    readonly key_id: string
    readonly now: Date
    readonly sessions: ReadonlyArray<NewSession>
  }) => sql<OpenedSession>`
    WITH theirs AS (SELECT count(*) FILTER (WHERE flagged_at > ${now}::timestamptz - interval '1 day')::int AS flagged,
        count(*) FILTER (WHERE state <> 'gone')::int AS open
      FROM runner WHERE key_id = ${key_id}),
      known AS (SELECT theirs.*, k.created_by IS NULL AS own, ${sql.literal(IN_FORCE)} AS in_force
      FROM theirs, runner_key k LEFT JOIN account a ON a.id = k.created_by WHERE k.id = ${key_id}),
      asked AS (SELECT * FROM ROWS FROM (jsonb_to_recordset(${storableJson(sessions)}::jsonb)
        AS (id uuid, name text, runtime_version text, engines jsonb, accepts text[], slots int, isolation text)) WITH ORDINALITY),
      opened AS (INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, isolation, state, created_at, last_seen_at)
      SELECT asked.id, ${key_id}::uuid, asked.name, asked.runtime_version, asked.engines, asked.accepts, asked.slots, asked.isolation,
        CASE WHEN flagged >= ${sql.literal(String(FLAGS_MAX))} AND NOT own THEN 'draining' ELSE 'active' END, ${now}::timestamptz, ${now}::timestamptz
      FROM known, asked WHERE in_force AND open + ordinality <= ${SESSIONS_MAX}
      RETURNING id, state)
    SELECT asked.id, opened.state, flagged, in_force FROM known CROSS JOIN asked LEFT JOIN opened ON opened.id = asked.id`,

  /**
   * Deletes a key's gone runners, all but the newest; those flagged within a day count against
   * it and stay. By runner_of_key.
   */
  forget: ({ key_id, now }: { readonly key_id: string; readonly now: Date }) => sql`
    DELETE FROM runner WHERE id IN (SELECT id FROM runner WHERE key_id = ${key_id} AND state = 'gone'
      AND coalesce(flagged_at < ${now}::timestamptz - interval '1 day', true) ORDER BY created_at DESC OFFSET ${GONE_RUNNERS_MAX})`
})

const makeSessions = (sql: SqlClient.SqlClient) => ({
  /**
   * Locks rows by the primary key, each at most every few seconds. A runner that is gone by now stays so
   * until its next call (`returns`): its key may have been revoked. A row that another statement holds is
   * passed over, so that no two wait for each other; its runner's next call marks it.
   */
  seen: ({ ids, now }: { readonly ids: ReadonlyArray<string>; readonly now: Date }) => sql`
    WITH heard AS (SELECT r.id FROM unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS asked (id) JOIN runner r ON r.id = asked.id
      FOR NO KEY UPDATE OF r SKIP LOCKED)
    UPDATE runner r SET last_seen_at = ${now} FROM heard WHERE r.id = heard.id`,

  /** Locks one row by the primary key. The runner does not return; closed again, its row is answered as before. */
  closeSession: ({ id, key_id }: { readonly id: string; readonly key_id: string }) => sql`
    UPDATE runner SET state = 'gone', stopped = true WHERE id = ${id} AND key_id = ${key_id} RETURNING id`,

  /**
   * Locks one row by the primary key: a runner that was gone returns, unless it was stopped. Of two
   * concurrent calls one finds it so.
   */
  returns: ({ id, now }: { readonly id: string; readonly now: Date }) => sql<{ readonly name: string; readonly key: string }>`
    UPDATE runner SET last_seen_at = ${now}, state = 'active' WHERE id = ${id} AND state = 'gone' AND NOT stopped RETURNING name, key_id AS key`,

  /**
   * Runners that are silent, or drained and done, by runner_seen; each row is answered to one node alone. A row that another statement
   * holds is passed over, as by `seen`: the next sweep finds it.
   */
  sweep: (silent_since: Date) => sql<SweptRunner>`
    WITH due AS (SELECT r.id FROM runner r
      WHERE state <> 'gone' AND (last_seen_at < ${silent_since} OR (state = 'draining' AND ${sql.literal(leasesOf)} = 0))
      FOR NO KEY UPDATE OF r SKIP LOCKED)
    UPDATE runner r SET state = 'gone', stopped = stopped OR state = 'draining' FROM due WHERE r.id = due.id
    RETURNING r.id AS runner, r.name, r.key_id AS key, r.last_seen_at < ${silent_since} AS silent`
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeCallers(sql), ...makeOpening(sql), ...makeSessions(sql) }))
