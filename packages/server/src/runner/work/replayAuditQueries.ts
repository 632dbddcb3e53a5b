/**
 * Statements on matches that another runner plays again. The open ones are few, and
 * have the index match_audit_open.
 */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const Leased = Schema.Struct({
  id: Schema.String,
  lease_n: Schema.Int,
  match_id: Schema.String,
  season_id: Schema.String,
  game: Schema.String,
  engine_digest: Schema.String,
  is_trial: Schema.Boolean,
  map_id: Schema.String,
  seed: Schema.Number,
  rules: Schema.Struct({ max_turns: Schema.Int, strike_limit: Schema.Int }),
  versions: Schema.Array(Schema.String),
  replay_hash: Schema.String,
  replay_bytes: Schema.Int,
  replay_by_match: Schema.Boolean,
  replay_inline: Schema.Boolean
})
export type LeasedAudit = typeof Leased.Type

interface Renewal {
  readonly id: string
  readonly lease_n: number
  readonly key: string
  readonly leased_at: Date
  readonly until: Date
}

const Row = Schema.Struct({
  id: Schema.String,
  match_id: Schema.String,
  season_id: Schema.String,
  game: Schema.String,
  state: Schema.Literals(["waiting", "leased", "done"]),
  lease_n: Schema.Int,
  runner_id: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Schema.String),
  doubter_id: Schema.NullOr(Schema.String),
  doubter_key: Schema.NullOr(Schema.String),
  doubter_sha256: Schema.NullOr(Schema.String),
  played_by: Schema.NullOr(Schema.String),
  played_by_key: Schema.NullOr(Schema.String),
  state_sha256: Schema.NullOr(Schema.String),
  /** Whether the match was voided since it was set aside, by whatever else: then nobody plays it again. */
  voided: Schema.Boolean,
  /** Whether its season is: then no runner gets the audit any more. */
  closed: Schema.Boolean
})
export type ReplayAuditRow = typeof Row.Type

/** Whose runner doubted the match. An older node wrote the runner alone, whose row may be gone. */
const doubterKey = "coalesce(a.doubter_key, (SELECT d.key_id FROM runner d WHERE d.id = a.doubter_id))"

const row = `SELECT a.id, a.match_id, a.season_id, s.game, a.state, a.lease_n, a.runner_id, a.key_id, a.doubter_id, a.doubter_key, a.doubter_sha256,
  m.runner_id AS played_by, m.key_id AS played_by_key, m.state_sha256, m.status = 'failed' AS voided, s.closed_at IS NOT NULL AS closed FROM match_audit a JOIN match m ON m.id = a.match_id JOIN season s ON s.id = a.season_id`

/** From the end of a lease until its key may have the audit again. */
const AGAIN_AFTER = "interval '1 minute'"

const makeLeases = (sql: SqlClient.SqlClient) => ({
  /**
   * Locks the rows it takes, skipping those that another node is taking. A runner gets none that its key
   * has played or answered; the service's own (its key has no creator) gets those waiting since before
   * `since`, even its own. Only the runtime of the first run is expected to give the same bits. A key of
   * the season's gets none for which a runner of the platform could be flagged: the season's
   * administrators could make two keys and have them deny whatever the platform's fleet has played. Where both
   * fleets play, such a key gets those waiting since before `platform_since`: one of two that are one person's
   * would confirm what the other has reported. A key that has lost or given back an audit gets it again a minute
   * later, so that others come before: it could drop it as often as it may be lost.
   */
  take: SqlSchema.findAll({
    Request: Schema.Struct({
      runner: Schema.String,
      key: Schema.String,
      season_id: Schema.NullOr(Schema.String),
      now: Schema.Date,
      until: Schema.Date,
      since: Schema.Date,
      platform_since: Schema.Date,
      limit: Schema.Int
    }),
    Result: Leased,
    execute: ({ key, limit, now, platform_since, runner, season_id, since, until }) => sql`
      WITH taken AS (
        UPDATE match_audit a SET state = 'leased', lease_n = a.lease_n + 1, runner_id = ${runner}, key_id = ${key}, leased_at = ${now}, until = ${until}
        FROM (
          SELECT a.id FROM match_audit a JOIN match m ON m.id = a.match_id JOIN season s ON s.id = a.season_id JOIN runner r ON r.id = ${runner}
          JOIN runner_key k ON k.id = r.key_id
          WHERE a.state = 'waiting' AND ${sql.literal(doubterKey)} IS DISTINCT FROM r.key_id
            AND (m.key_id IS DISTINCT FROM r.key_id OR (k.created_by IS NULL AND a.created_at < ${since})) AND m.status IN ('rated', 'finished') AND m.replay_hash IS NOT NULL AND m.runtime_version = r.runtime_version AND s.closed_at IS NULL
            AND (a.key_id IS DISTINCT FROM r.key_id OR a.until < ${now}::timestamptz - ${sql.literal(AGAIN_AFTER)})
            AND (k.season_id IS NULL OR s.fleet->>'matches' = 'own' OR a.created_at < ${platform_since})
            AND (k.season_id IS NULL OR NOT EXISTS (SELECT 1 FROM runner_key p WHERE p.season_id IS NULL
              AND (p.id = m.key_id OR p.id = ${sql.literal(doubterKey)})))
            AND a.season_id = coalesce(${season_id}::uuid, a.season_id)
            AND s.fleet->>'matches' IN ('both', CASE WHEN ${season_id}::uuid IS NULL THEN 'platform' ELSE 'own' END)
            AND r.engines @> jsonb_build_array(jsonb_build_object('game', s.game, 'engine_digest', m.engine_digest))
          ORDER BY a.created_at LIMIT ${limit} FOR UPDATE OF a SKIP LOCKED) w
        WHERE a.id = w.id RETURNING a.id, a.lease_n, a.match_id, a.season_id)
      SELECT t.id, t.lease_n, t.match_id, t.season_id, s.game, m.engine_digest, m.ladder IS NULL AS is_trial, m.map_id, m.seed::float8 AS seed,
        s.rules->'match' AS rules, m.replay_hash, m.replay_bytes, m.replay_by_match, m.replay_inline,
        (SELECT jsonb_agg(y.version_id ORDER BY y.seat) FROM seat y WHERE y.match_id = m.id) AS versions
      FROM taken t JOIN match m ON m.id = t.match_id JOIN season s ON s.id = t.season_id`
  }),

  /** One row by the primary key. */
  find: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (id) => sql`${sql.literal(row)} WHERE a.id = ${id}`
  }),

  /** Locks one row by the primary key; `runner_id` tells a returned lease from one that ran out. */
  giveBack: ({ id, key, lease_n }: { readonly id: string; readonly lease_n: number; readonly key: string }) => sql`
    UPDATE match_audit SET state = 'waiting', runner_id = NULL WHERE id = ${id} AND lease_n = ${lease_n} AND key_id = ${key} AND state = 'leased'`,

  /** All leases of the key. By match_audit_open. */
  giveBackAll: (key: string) => sql`
    UPDATE match_audit SET state = 'waiting', runner_id = NULL WHERE state = 'leased' AND key_id = ${key}`,

  /** Leases that the runner does not name were lost on the way. By match_audit_open. */
  keepOnly: (runner: string, leases: ReadonlyArray<string>) => sql`
    UPDATE match_audit SET state = 'waiting', runner_id = NULL
    WHERE state = 'leased' AND runner_id = ${runner} AND NOT (id || '.' || lease_n = ANY (string_to_array(${leases.join(",")}, ',')))`
})

const makeRenewals = (sql: SqlClient.SqlClient) => ({
  /** Those of the named audits that this key holds, and what bounds their leases. By the primary keys. */
  held: SqlSchema.findAll({
    Request: Schema.Struct({ ids: Schema.Array(Schema.String), key: Schema.String }),
    Result: Schema.Struct({
      id: Schema.String,
      lease_n: Schema.Int,
      leased_at: Schema.NullOr(Schema.Date),
      rules: Schema.Struct({ infer_us_max: Schema.Int, match: Leased.fields.rules }),
      seats: Schema.Int
    }),
    execute: ({ ids, key }) => sql`
      SELECT a.id, a.lease_n, a.leased_at, s.rules, (SELECT count(*)::int FROM seat y WHERE y.match_id = a.match_id) AS seats
      FROM match_audit a JOIN season s ON s.id = a.season_id WHERE ${sql.in("a.id", ids)} AND a.state = 'leased' AND a.key_id = ${key}`
  }),

  /**
   * Locks one row by the primary key. A row of an older node has no start of its lease and gets one;
   * a lapsed lease stays lapsed.
   */
  extend: ({ id, key, lease_n, leased_at, until }: Renewal) => sql`
    UPDATE match_audit SET until = ${until}, leased_at = ${leased_at}
    WHERE id = ${id} AND lease_n = ${lease_n} AND key_id = ${key} AND state = 'leased' RETURNING id`
})

const makeVerdicts = (sql: SqlClient.SqlClient) => ({
  /**
   * Locks one row by the primary key. It counts as long as nobody else has the audit, whether or not the lease has run out. Of the same
   * result sent twice the first counts: the runner does not hold it any more.
   */
  mismatch: ({ id, lease_n }: ReplayAuditRow, runner: string, state_sha256: string) => sql`
    UPDATE match_audit SET state = 'waiting', runner_id = NULL, doubter_id = ${runner}, doubter_key = key_id, doubter_sha256 = ${state_sha256}
    WHERE id = ${id} AND state <> 'done' AND lease_n = ${lease_n} AND runner_id = ${runner}`,

  /** Locks one row by the primary key. */
  settle: (id: string, verdict: string) => sql`UPDATE match_audit SET state = 'done', verdict = ${verdict} WHERE id = ${id}`,

  /** Leases that ran out go back; by match_audit_open. */
  lapse: (now: Date) => sql`UPDATE match_audit SET state = 'waiting' WHERE state = 'leased' AND until < ${now}`,

  /**
   * Audits that were lost too often or have waited too long: since before `since` where the
   * service has no runner of its own that could play them again, or since `own_since`, after that
   * runner's time. By match_audit_open.
   */
  overdue: SqlSchema.findAll({
    Request: Schema.Struct({ since: Schema.Date, own_since: Schema.Date, seen_after: Schema.Date, leases: Schema.Int }),
    Result: Row,
    execute: ({ leases, own_since, seen_after, since }) => sql`
      ${sql.literal(row)} WHERE a.state = 'waiting' AND (a.lease_n >= ${leases} OR a.created_at < ${own_since} OR (a.created_at < ${since}
        AND NOT EXISTS (SELECT 1 FROM runner r JOIN runner_key k ON k.id = r.key_id
          WHERE k.created_by IS NULL AND k.revoked_at IS NULL AND r.state = 'active' AND NOT r.stopped AND r.last_seen_at > ${seen_after}
            AND 'audit' = ANY (r.accepts) AND r.runtime_version = m.runtime_version
            AND ${sql.literal(doubterKey)} IS DISTINCT FROM r.key_id))) LIMIT 100`
  }),

  /** By match_audit_open. `sum` changes whenever an audit is added or returned. */
  waiting: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ season_id: Schema.String, sum: Schema.String }),
    execute: () => sql`
      SELECT season_id, count(*) || ' ' || sum(lease_n) || ' ' || max(created_at) AS sum FROM match_audit WHERE state = 'waiting' GROUP BY season_id`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeLeases(sql), ...makeRenewals(sql), ...makeVerdicts(sql) }))
