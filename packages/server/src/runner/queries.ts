/** Every statement on runner keys and runners, and the parts of lease payloads about versions, boards and seasons. */

import { Runner } from "@agon/api/runner/api.ts"
import { EngineOfRunner } from "@agon/api/runner/protocol.ts"
import { Rules, WeightClass } from "@agon/api/season/Rules.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { FLAGS_MAX } from "../match/voidingQueries.ts"

const KeyRow = Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String), key_sha256: Schema.String })

const { runtime_known: _, ...runnerFields } = Runner.fields
export const RunnerRow = Schema.Struct({ ...runnerFields, last_seen_at: Instant })
export type RunnerRow = typeof RunnerRow.Type

const FleetKeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String,
  created_at: Instant,
  created_by: Schema.String,
  revoked_at: Schema.NullOr(Instant)
})

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

const Files = Schema.Struct({
  id: Schema.String,
  weights_hash: Schema.String,
  weights_bytes: Schema.Int,
  manifest_hash: Schema.String,
  manifest_bytes: Schema.Int
})
export type Files = typeof Files.Type

const Held = Schema.Struct({
  lease: Schema.String,
  runner: Schema.String,
  key: Schema.String,
  season: Schema.String,
  seats: Schema.NullOr(Schema.Int),
  max_turns: Schema.Int,
  strike_limit: Schema.Int
})

export type Held = typeof Held.Type

/** The columns of a runner key `k`, and where they come from. A key without a creator is that of the service's own runner. */
const keys = `k.id, k.name, k.prefix, k.created_at, k.revoked_at, coalesce(a.username, 'service') AS created_by
  FROM runner_key k LEFT JOIN account a ON a.id = k.created_by`

const page = { limit: Schema.Int, offset: Schema.Int }
const Total = Schema.Struct({ total: Schema.Int })

const makeKeys = (sql: SqlClient.SqlClient) => ({
  /** Keys in force, of accounts that are not suspended, each by runner_key(key_sha256), unique; hashes in Postgres's text form of bytea: `\x` and hexadecimal digits. */
  bySecrets: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: KeyRow,
    execute: (hashes) => sql`
      SELECT k.id, k.season_id, '\\x' || encode(k.key_sha256, 'hex') AS key_sha256
      FROM unnest(string_to_array(${hashes.join()}, ',')::bytea[]) AS asked (hash)
      JOIN runner_key k ON k.key_sha256 = asked.hash LEFT JOIN account a ON a.id = k.created_by
      WHERE k.revoked_at IS NULL AND NOT coalesce(a.suspended, false)`
  }),

  /** Inserts one row; a key of the same secret exists already where the service starts again. */
  addKey: (row: {
    readonly id: string
    readonly season_id: string | null
    readonly name: string
    readonly prefix: string
    readonly key_sha256: Uint8Array
    readonly created_by: string | null
    readonly created_at: Date
  }) => sql`INSERT INTO runner_key ${sql.insert(row)} ON CONFLICT (key_sha256) DO NOTHING`,

  /** The platform's keys (season null) or a season's, newest first, by runner_key_season. */
  keys: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.NullOr(Schema.String), ...page }),
    Result: FleetKeyRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(keys)}
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid
      ORDER BY k.created_at DESC, k.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  keyCount: SqlSchema.findOne({
    Request: Schema.NullOr(Schema.String),
    Result: Total,
    execute: (season_id) => sql`
      SELECT count(*)::int AS total FROM runner_key k WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid`
  }),

  /** One row by the primary key. */
  keyById: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String) }),
    Result: FleetKeyRow,
    execute: ({ id, season_id }) => sql`
      SELECT ${sql.literal(keys)}
      WHERE k.id = ${id} AND k.season_id IS NOT DISTINCT FROM ${season_id}::uuid`
  }),

  /** Locks one row by the primary key; its runners become gone with it, by runner_of_key. Of two concurrent revocations one is the first. */
  revoke: SqlSchema.findOne({
    Request: Schema.Struct({ id: Schema.String, now: Schema.Date }),
    Result: Schema.Struct({ fresh: Schema.Boolean }),
    execute: ({ id, now }) => sql`
      WITH gone AS (UPDATE runner SET state = 'gone' WHERE key_id = ${id} AND state <> 'gone'),
        ended AS (UPDATE runner_key SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL RETURNING id)
      SELECT EXISTS (SELECT 1 FROM ended) AS fresh`
  })
})

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
const GONE_KEPT = 1_000

/** How many leases a runner holds now: `live` and `review` are small tables of open work. */
const leasesOf =
  "(SELECT count(*) FROM live l WHERE l.runner_id = r.id AND l.until IS NOT NULL)::int + (SELECT count(*) FROM review w WHERE w.runner_id = r.id AND w.until IS NOT NULL)::int"

/** The columns of a runner `r` as administrators see it. */
const runnerColumns = `r.id, r.name, r.key_id, r.runtime_version, r.engines, r.accepts, r.slots, r.state, r.last_seen_at, ${leasesOf} AS leases`

/** Work by its last lease, unless that lease was given back; audits under the name of their queue. */
const openLease = `o.work || '.' || o.n AS lease, o.runner, o.key, o.season, o.seats, o.max_turns, o.strike_limit FROM (
  SELECT l.id AS work, l.lease_n AS n, l.runner_id AS runner, l.key_id AS key, l.season_id::text AS season, cardinality(l.versions) AS seats,
    (s.rules->'match'->>'max_turns')::int AS max_turns, (s.rules->'match'->>'strike_limit')::int AS strike_limit
  FROM live l JOIN season s ON s.id = l.season_id WHERE NOT l.released
  UNION ALL SELECT w.version_id, w.lease_n, w.runner_id, w.key_id, w.season_id::text, NULL, 0, 0 FROM review w WHERE NOT w.released
  UNION ALL SELECT a.id, a.lease_n, a.runner_id, a.key_id, 'audits', NULL, 0, 0 FROM match_audit a WHERE a.state = 'leased') o`

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
        held AS (SELECT h.runner, jsonb_agg(to_jsonb(h)) AS leases FROM asked JOIN (SELECT ${sql.literal(openLease)}) h ON h.runner = asked.id
          GROUP BY h.runner)
      SELECT ${sql.literal(openRunner)}, coalesce(held.leases, '[]') AS leases
      FROM asked JOIN runner r ON r.id = asked.id LEFT JOIN held ON held.runner = r.id`
  })
})

const makeSessions = (sql: SqlClient.SqlClient) => ({
  /**
   * Inserts one row, unless the key has its maximum. A key whose runners were flagged repeatedly gets sessions without
   * work, except the key of the service's own runner (it has no creator), which is the operator's responsibility. By runner_of_key.
   */
  openSession: (row: {
    readonly id: string
    readonly key_id: string
    readonly name: string
    readonly runtime_version: string
    readonly engines: string
    readonly accepts: ReadonlyArray<string>
    readonly slots: number
    readonly isolation: string | null
    readonly now: Date
  }) => sql<{ readonly state: OpenRunner["state"]; readonly flagged: number }>`
    WITH k AS (SELECT count(*) FILTER (WHERE r.flagged_at > ${row.now}::timestamptz - interval '1 day')::int AS flagged,
        count(*) FILTER (WHERE r.state <> 'gone')::int AS open,
        (SELECT created_by IS NULL FROM runner_key WHERE id = ${row.key_id}) AS own
      FROM runner r WHERE r.key_id = ${row.key_id})
    INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, isolation, state, created_at, last_seen_at)
    SELECT ${row.id}::uuid, ${row.key_id}::uuid, ${row.name}, ${row.runtime_version}, ${row.engines}::jsonb,
      string_to_array(${row.accepts.join(",")}, ','), ${row.slots}::int, ${row.isolation}::text,
      CASE WHEN k.flagged >= ${sql.literal(String(FLAGS_MAX))} AND NOT k.own THEN 'draining' ELSE 'active' END, ${row.now}::timestamptz, ${row.now}::timestamptz
    FROM k WHERE k.open < ${SESSIONS_MAX}
    RETURNING state, (SELECT flagged FROM k) AS flagged`,

  /** Deletes a key's gone runners, all but the newest; those flagged within a day count against it and stay. By runner_of_key. */
  forget: ({ key_id, now }: { readonly key_id: string; readonly now: Date }) => sql`
    DELETE FROM runner WHERE id IN (SELECT id FROM runner WHERE key_id = ${key_id} AND state = 'gone'
      AND coalesce(flagged_at < ${now}::timestamptz - interval '1 day', true) ORDER BY created_at DESC OFFSET ${GONE_KEPT})`,

  /**
   * Locks rows by the primary key, each at most every few seconds. A runner that is gone by now stays so until its next call
   * (`returns`): its key may have been revoked. A row that another statement holds is passed over, so that no two wait for each other;
   * its runner's next call marks it.
   */
  seen: ({ ids, now }: { readonly ids: ReadonlyArray<string>; readonly now: Date }) => sql`
    WITH heard AS (SELECT r.id FROM unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS asked (id) JOIN runner r ON r.id = asked.id
      FOR NO KEY UPDATE OF r SKIP LOCKED)
    UPDATE runner r SET last_seen_at = ${now} FROM heard WHERE r.id = heard.id`,

  /** Locks one row by the primary key. The runner does not return; closed again, its row is answered as before. */
  closeSession: ({ id, key_id }: { readonly id: string; readonly key_id: string }) => sql`
    UPDATE runner SET state = 'gone', stopped = true WHERE id = ${id} AND key_id = ${key_id} RETURNING id`,

  /** Locks one row by the primary key: a runner that was gone returns, unless it was stopped. Of two concurrent calls one finds it so. */
  returns: ({ id, now }: { readonly id: string; readonly now: Date }) => sql<{ readonly name: string; readonly key: string }>`
    UPDATE runner SET last_seen_at = ${now}, state = 'active' WHERE id = ${id} AND state = 'gone' AND NOT stopped RETURNING name, key_id AS key`,

  /** Runners that are silent, or drained and done, by runner_seen; each row is answered to one node alone. */
  sweep: (silent_since: Date) => sql<SweptRunner>`
    UPDATE runner r SET state = 'gone', stopped = stopped OR state = 'draining'
    WHERE state <> 'gone' AND (last_seen_at < ${silent_since} OR (state = 'draining' AND ${sql.literal(leasesOf)} = 0))
    RETURNING r.id AS runner, r.name, r.key_id AS key, r.last_seen_at < ${silent_since} AS silent`
})

const makeRunners = (sql: SqlClient.SqlClient) => ({
  /** Runners by the key's fleet, newest first: by runner_key_season and runner_of_key; `gone` ones are left out. */
  runners: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.NullOr(Schema.String), ...page }),
    Result: RunnerRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(runnerColumns)}
      FROM runner r JOIN runner_key k ON k.id = r.key_id
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND r.state <> 'gone'
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same. */
  runnerCount: SqlSchema.findOne({
    Request: Schema.NullOr(Schema.String),
    Result: Total,
    execute: (season_id) => sql`
      SELECT count(*)::int AS total FROM runner r JOIN runner_key k ON k.id = r.key_id
      WHERE k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND r.state <> 'gone'`
  }),

  /** All runners of these keys, by runner_of_key; a key that has had thousands shows the newest. */
  ofKeys: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: RunnerRow,
    execute: (keys) => sql`
      SELECT ${sql.literal(runnerColumns)}
      FROM runner r WHERE ${sql.in("r.key_id", keys)} AND r.state <> 'gone' ORDER BY r.created_at DESC LIMIT 200`
  }),

  /** Locks one row by the primary key; no row where it is already gone or belongs to another fleet. */
  drain: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.NullOr(Schema.String) }),
    Result: Schema.Struct({ ...RunnerRow.fields, fresh: Schema.Boolean }),
    execute: ({ id, season_id }) => sql`
      WITH b AS (SELECT id, state FROM runner WHERE id = ${id} FOR NO KEY UPDATE)
      UPDATE runner r SET state = 'draining' FROM b, runner_key k
      WHERE r.id = b.id AND k.id = r.key_id AND k.season_id IS NOT DISTINCT FROM ${season_id}::uuid AND b.state <> 'gone'
      RETURNING ${sql.literal(runnerColumns)}, b.state = 'active' AS fresh`
  })
})

const makeWork = (sql: SqlClient.SqlClient) => ({
  /** Rows by the primary key. */
  files: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Files,
    execute: (ids) => sql`
      SELECT id, weights_hash, weights_bytes, manifest_hash, manifest_bytes FROM version WHERE ${sql.in("id", ids)}`
  }),

  /** One row by the primary key. */
  boardFile: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, map_id: Schema.String }),
    Result: Schema.Struct({ file: Schema.Json }),
    execute: ({ map_id, season_id }) => sql`SELECT file FROM board WHERE season_id = ${season_id} AND map_id = ${map_id}`
  }),

  /** One season by its primary key with its boards. */
  examinedBy: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({
      game: Schema.String,
      engine_digest: Schema.String,
      rules: Rules,
      weight_classes: Schema.Array(WeightClass),
      boards: Schema.Array(Schema.Struct({ map_id: Schema.String, rows: Schema.Int, cols: Schema.Int, players: Schema.Int }))
    }),
    execute: (season_id) => sql`
      SELECT s.game, s.engine_digest, s.rules, s.weight_classes,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('map_id', b.map_id, 'rows', b.rows, 'cols', b.cols, 'players', b.players) ORDER BY b.ord), '[]')
          FROM board b WHERE b.season_id = s.id) AS boards
      FROM season s WHERE s.id = ${season_id}`
  }),

  /** Open leases of these runners: one scan of small tables and of match_audit_open, where this node does not know them. */
  heldBy: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (runners) => sql`
      SELECT held.* FROM unnest(string_to_array(${runners.join()}, ',')::uuid[]) AS asked (id)
      JOIN (SELECT ${sql.literal(openLease)}) held ON held.runner = asked.id`
  }),

  /** These open leases, each by the primary keys of the small tables of open work and of match_audit, where this node does not know its runner. */
  held: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (leases) => sql`
      SELECT held.* FROM unnest(string_to_array(${leases.join()}, ',')) AS asked (lease)
      CROSS JOIN LATERAL (SELECT split_part(asked.lease, '.', 1)::uuid AS id, split_part(asked.lease, '.', 2)::int AS n) named
      CROSS JOIN LATERAL (SELECT ${sql.literal(openLease)} WHERE o.work = named.id AND o.n = named.n AND o.runner IS NOT NULL) held`
  }),

  /** The seasons of matches, versions and audits that this process does not remember: each by primary keys, and the small `live`. */
  seasonsOf: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ id: Schema.String, season: Schema.String }),
    execute: (ids) => sql`
      SELECT asked.id, found.season FROM unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT season_id::text AS season FROM match WHERE id = asked.id
        UNION ALL SELECT season_id::text FROM version WHERE id = asked.id
        UNION ALL SELECT season_id::text FROM live WHERE id = asked.id
        UNION ALL SELECT 'audits' FROM match_audit WHERE id = asked.id LIMIT 1) found`
  })
})

const makeReplays = (sql: SqlClient.SqlClient) => ({
  /** How a match ended, by its primary key, and whether it is still open, by the primary key of the small `live`. */
  endedWith: (id: string) => sql<{ readonly replay_hash: string | null; readonly live: boolean }>`
    SELECT m.replay_hash, EXISTS (SELECT 1 FROM live l WHERE l.id = w.id) AS live
    FROM (SELECT ${id}::uuid AS id) w LEFT JOIN match m ON m.id = w.id`,

  /** Whether a match ended with this replay and is without its text, by its primary key. */
  endedWithout: ({ hash, id }: { readonly id: string; readonly hash: string }) => sql`
    SELECT 1 FROM match WHERE id = ${id} AND replay_hash = ${hash} AND NOT replay_inline`
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeKeys(sql),
  ...makeCallers(sql),
  ...makeSessions(sql),
  ...makeRunners(sql),
  ...makeWork(sql),
  ...makeReplays(sql)
}))
